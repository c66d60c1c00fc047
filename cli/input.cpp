#include "cli/input.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "api/base_names.hpp"
#include "terminal/option_validators.hpp"

namespace summand::cli {

namespace {

const std::map<std::string, text::InputFormat> kFormats{{"txt", text::InputFormat::txt},
                                                        {"jsonl", text::InputFormat::jsonl},
                                                        {"csv", text::InputFormat::csv},
                                                        {"tsv", text::InputFormat::tsv}};

text::InputRules input_rules(const InputOptions& options) {
  text::InputRules rules{
      .fields = options.fields,
      .invalid_utf8 = options.invalid_utf8 == "replace" ? text::InvalidUtf8::replace : text::InvalidUtf8::error,
      .advice = {.format = ", or " + options.options_begin + "format",
                 .text_field = "; " + options.options_begin + options.text_field + " names another",
                 .invalid_utf8 = ", or give --invalid-utf8 replace"}};
  if (!options.format.empty()) rules.format = kFormats.at(options.format);
  return rules;
}

void check_sources(const InputOptions& options) {
  if (options.paths.empty() == options.texts.empty()) {
    throw api::UsageError("input", options.paths.empty() ? "expected INPUT or --text, got neither"
                                                         : "expected INPUT or --text, got both");
  }
  if (!options.pairs.empty() && options.pairs.size() != options.texts.size()) {
    throw api::UsageError("input", fmt::format("expected a --text-pair for each --text, got {} for {}",
                                               options.pairs.size(), options.texts.size()));
  }
  if (options.paths.empty() && !options.fields.are_usual()) {
    throw api::UsageError("input", "expected INPUT where fields are named, got --text");
  }
  if (std::ranges::count(options.paths, "-") > 1) {
    throw api::UsageError("input", "expected standard input, -, once, got it again");
  }
}

}  // namespace

void add_input_files(CLI::App& verb, InputOptions& options) {
  verb.add_option("INPUT", options.paths,
                  "Files of texts: .txt, .jsonl, .csv or .tsv, also with .gz or .zst; - is standard input")
      ->option_text(" ");
  verb.add_option("--format", options.format, "The format of INPUT, whatever its name says")
      ->check(terminal::one_of({"txt", "jsonl", "csv", "tsv"}))
      ->option_text("txt|jsonl|csv|tsv");
}

void add_input(CLI::App& verb, InputOptions& options) {
  add_input_files(verb, options);
  verb.add_option("--field", options.fields.text, "Key or column of the texts, if it is not text")->option_text("NAME");
  verb.add_option("--pair-field", options.fields.text_pair, "Key or column of the second texts, if it is not text_pair")
      ->option_text("NAME");
  add_input_rules(verb, options);
  verb.add_option("--text", options.texts, "A text on the command line; may be repeated")->allow_extra_args(false);
}

void add_input_rules(CLI::App& verb, InputOptions& options) {
  verb.add_option("--id-field", options.fields.id, "Key or column of the ids that results show, if it is not id")
      ->option_text("NAME");
  verb.add_option("--invalid-utf8", options.invalid_utf8,
                  "Bytes that are not UTF-8, and half a surrogate pair in JSON (\"\\ud83d\"): error refuses them, "
                  "replace reads them as U+FFFD")
      ->check(terminal::one_of({"error", "replace"}))
      ->option_text("HOW=error");
}

void add_text_pair(CLI::App& verb, InputOptions& options) {
  verb.add_option("--text-pair", options.pairs, "The second text of a pair, one for each --text")
      ->allow_extra_args(false);
}

bool check_utf8(const InputOptions& options, std::string_view option, std::string_view text) {
  return text::check_utf8(text, option, input_rules(options));
}

std::string whole_text(const InputOptions& options, const std::string& path) {
  return inputs::InputFile::whole(path, input_rules(options));
}

void refuse_input_as_output(const std::vector<std::string>& inputs, const std::string& out) {
  for (const auto& path : inputs) {
    std::error_code different;
    if (!std::filesystem::is_regular_file(out, different) || !std::filesystem::equivalent(path, out, different))
      continue;
    throw api::UsageError(out, "expected another file than the input, which would be lost");
  }
}

std::string record_label(const text::InputRecord& record) {
  if (record.words) return fmt::format("{}", fmt::join(*record.words, " "));
  return record.text_pair ? record.text + " | " + *record.text_pair : record.text;
}

InputTexts::InputTexts(const InputOptions& options) : options_(options), rules_(input_rules(options)) {
  check_sources(options_);
  check_files();
  check_texts();
}

InputTexts::~InputTexts() {
  const size_t invalid = invalid_texts_ + (file_ ? file_->invalid_records() : 0);
  if (invalid == 0 || options_.read_before) return;
  std::fprintf(stderr,
               "summand: %zu of %zu %s held bytes that are not UTF-8 or half a surrogate pair: each is read as U+FFFD, "
               "which BERT's tokenizers leave out\n",
               invalid, texts_read_, texts_read_ == 1 ? "text" : "texts");
}

/// A file that cannot be read is found before any work on those before it.
void InputTexts::check_files() {
  for (const auto& path : options_.paths) {
    const auto size = inputs::InputFile::check(path, rules_);
    const bool is_first = &path == &options_.paths.front();
    size_ = size && (is_first || size_) ? std::optional(size_.value_or(0) + *size) : std::nullopt;
  }
  if (!options_.paths.empty()) file_.emplace(options_.paths[files_opened_++], rules_);
}

void InputTexts::check_texts() {
  for (size_t i = 0; i < options_.texts.size(); ++i) {
    bool valid = check_utf8(options_, fmt::format("--text {}", i + 1), options_.texts[i]);
    if (!options_.pairs.empty()) {
      valid &= check_utf8(options_, fmt::format("--text-pair {}", i + 1), options_.pairs[i]);
    }
    invalid_texts_ += valid ? 0 : 1;
  }
}

std::optional<text::InputRecord> InputTexts::next() {
  auto record = options_.paths.empty() ? next_of_line() : next_of_files();
  texts_read_ += record ? 1 : 0;
  return record;
}

std::optional<text::InputRecord> InputTexts::next_of_line() {
  if (texts_read_ == options_.texts.size()) return std::nullopt;
  text::InputRecord record(options_.texts[texts_read_]);
  if (!options_.pairs.empty()) record.text_pair = options_.pairs[texts_read_];
  return record;
}

std::optional<text::InputRecord> InputTexts::next_of_files() {
  for (;;) {
    if (auto record = file_->next()) return record;
    if (files_opened_ == options_.paths.size()) return std::nullopt;
    bytes_of_files_done_ += file_->bytes_read();
    invalid_texts_ += file_->invalid_records();
    file_.emplace(options_.paths[files_opened_++], rules_);
  }
}

InputPlace InputTexts::place() const {
  return {texts_read_, bytes_of_files_done_ + (file_ ? file_->bytes_read() : 0)};
}

std::vector<text::InputRecord> InputTexts::rest() {
  std::vector<text::InputRecord> records;
  while (auto record = next()) records.push_back(std::move(*record));
  return records;
}

}  // namespace summand::cli
