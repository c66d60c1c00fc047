#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/loaded_model.hpp"

namespace CLI {
class App;
}

namespace summand::cli {

/// Where a verb's texts come from: a file, standard input, or --text on the line.
struct InputOptions {
  std::string path;
  std::string format;
  std::vector<std::string> texts;
  std::vector<std::string> pairs;  ///< second texts, one for each of `texts`, or none at all
};

/// Adds INPUT, --format and --text.
void add_input(CLI::App& verb, InputOptions& options);

/// Adds --text-pair, for verbs that are often asked about pairs.
void add_text_pair(CLI::App& verb, InputOptions& options);

/// What a table shows of a record: the text, both texts of a pair, or the words.
[[nodiscard]] std::string label_of(const text::InputRecord& record);

/// The texts one after the other, from wherever they come.
class InputTexts {
 public:
  /// @throws UsageError if there is not exactly one source, or not a --text for every --text-pair; IoError if the file
  /// cannot be read
  explicit InputTexts(const InputOptions& options);

  [[nodiscard]] std::optional<text::InputRecord> next();
  [[nodiscard]] std::vector<text::InputRecord> rest();

 private:
  std::vector<std::string> texts_;
  std::vector<std::string> pairs_;
  size_t next_text_ = 0;
  std::optional<text::InputReader> reader_;
};

}  // namespace summand::cli
