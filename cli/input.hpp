#pragma once

#include <cstdint>
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

/// How far an input was read.
struct InputPlace {
  size_t texts = 0;
  uint64_t bytes = 0;
};

/// The texts one after the other, from wherever they come.
class InputTexts {
 public:
  /// @throws UsageError if there is not exactly one source, or not a --text for every --text-pair; IoError if the file
  /// cannot be read
  explicit InputTexts(const InputOptions& options);

  [[nodiscard]] std::optional<text::InputRecord> next();
  [[nodiscard]] std::vector<text::InputRecord> rest();

  [[nodiscard]] InputPlace place() const { return {texts_read_, reader_ ? reader_->bytes_read() : 0}; }
  /// Bytes of the whole input, where they are known.
  [[nodiscard]] std::optional<uint64_t> size() const { return reader_ ? reader_->size() : std::nullopt; }

 private:
  std::vector<std::string> texts_;
  std::vector<std::string> pairs_;
  size_t texts_read_ = 0;
  std::optional<text::InputReader> reader_;
};

}  // namespace summand::cli
