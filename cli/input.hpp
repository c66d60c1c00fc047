#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "inputs/input_file.hpp"
#include "text/input_record.hpp"

namespace CLI {
class App;
}

namespace summand::cli {

/// The source of a verb's texts: files, standard input, or --text.
struct InputOptions {
  std::vector<std::string> paths;
  std::string format;
  text::InputFields fields;
  std::string invalid_utf8 = "error";
  std::vector<std::string> texts;
  std::vector<std::string> pairs;    ///< second texts, one for each of `texts`, or none
  std::string options_begin = "--";  ///< prefix of --format and --field in messages
  std::string text_field = "field";  ///< name of --field in messages
  bool read_before = false;          ///< the notices were printed before

  /// Whether there is neither a file nor a text.
  [[nodiscard]] bool is_empty() const { return paths.empty() && texts.empty(); }
};

/// Adds INPUT, --format, --field, --pair-field, --id-field, --invalid-utf8 and --text.
void add_input(CLI::App& verb, InputOptions& options);

/// Adds INPUT and --format, for verbs whose records have other fields.
void add_input_files(CLI::App& verb, InputOptions& options);

/// Adds --id-field and --invalid-utf8.
void add_input_rules(CLI::App& verb, InputOptions& options);

/// The whole text of a file, of any name, compressed or not; "-" is standard input. Its byte order mark is dropped.
/// @throws IoError if it cannot be read; TextError if it is not UTF-8, unless --invalid-utf8 says otherwise
[[nodiscard]] std::string whole_text(const InputOptions& options, const std::string& path);

/// Adds --text-pair, for verbs that are often asked about pairs.
void add_text_pair(CLI::App& verb, InputOptions& options);

/// Checks a text of another option, such as --query.
/// @return whether it is valid UTF-8
/// @throws TextError if it is not, unless --invalid-utf8 says otherwise
bool check_utf8(const InputOptions& options, std::string_view option, std::string_view text);

/// Checks an output before any work is done.
/// @throws UsageError if it is one of the input files, under any name
void refuse_input_as_output(const std::vector<std::string>& inputs, const std::string& out);

/// The text of a record in a table: the text, both texts of a pair, or the words.
[[nodiscard]] std::string record_label(const text::InputRecord& record);

/// How far an input was read.
struct InputPlace {
  size_t texts = 0;
  uint64_t bytes = 0;
};

/// Reads the texts one by one. The destructor reports how many of them had invalid UTF-8.
class InputTexts {
 public:
  /// @throws UsageError if there is not exactly one source, or not a --text for every --text-pair
  /// @throws IoError if a file cannot be read; TextError if a --text is not UTF-8
  explicit InputTexts(const InputOptions& options);
  InputTexts(const InputTexts&) = delete;
  InputTexts& operator=(const InputTexts&) = delete;
  ~InputTexts();

  [[nodiscard]] std::optional<text::InputRecord> next();
  [[nodiscard]] std::vector<text::InputRecord> rest();

  [[nodiscard]] InputPlace place() const;
  /// Size of the whole input in bytes, if known.
  [[nodiscard]] std::optional<uint64_t> size() const { return size_; }

 private:
  void check_files();
  void check_texts();
  [[nodiscard]] std::optional<text::InputRecord> next_of_line();
  [[nodiscard]] std::optional<text::InputRecord> next_of_files();

  InputOptions options_;
  text::InputRules rules_;
  size_t texts_read_ = 0;
  size_t invalid_texts_ = 0;  // of the command line, and of finished files
  std::optional<inputs::InputFile> file_;
  size_t files_opened_ = 0;
  uint64_t bytes_of_files_done_ = 0;
  std::optional<uint64_t> size_;
};

}  // namespace summand::cli
