#include "cli/input.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "api/error.hpp"

namespace summand::cli {

void add_input(CLI::App& verb, InputOptions& options) {
  verb.add_option("INPUT", options.path, "A .txt or .jsonl file, or - for standard input");
  verb.add_option("--format", options.format, "txt or jsonl, where the name does not say")
      ->check(CLI::IsMember({"txt", "jsonl"}))
      ->option_text("txt|jsonl");
  verb.add_option("--text", options.texts, "A text given here; may be repeated")->allow_extra_args(false);
}

void add_text_pair(CLI::App& verb, InputOptions& options) {
  verb.add_option("--text-pair", options.pairs, "The second text of a pair, one for each --text")
      ->allow_extra_args(false);
}

std::string label_of(const text::InputRecord& record) {
  if (record.words) return fmt::format("{}", fmt::join(*record.words, " "));
  return record.text_pair ? record.text + " | " + *record.text_pair : record.text;
}

InputTexts::InputTexts(const InputOptions& options) : texts_(options.texts), pairs_(options.pairs) {
  if (options.path.empty() == options.texts.empty()) {
    throw api::UsageError(
        "input", options.path.empty() ? "expected INPUT or --text, got neither" : "expected INPUT or --text, got both");
  }
  if (!pairs_.empty() && pairs_.size() != texts_.size()) {
    throw api::UsageError(
        "input", fmt::format("expected a --text-pair for each --text, got {} for {}", pairs_.size(), texts_.size()));
  }
  if (options.path.empty()) return;
  std::optional<text::InputFormat> format;
  if (!options.format.empty()) format = options.format == "txt" ? text::InputFormat::txt : text::InputFormat::jsonl;
  reader_ = text::InputReader::open(options.path, format);
}

std::optional<text::InputRecord> InputTexts::next() {
  if (reader_) {
    auto record = reader_->next();
    texts_read_ += record ? 1 : 0;
    return record;
  }
  if (texts_read_ == texts_.size()) return std::nullopt;
  text::InputRecord record;
  if (!pairs_.empty()) record.text_pair = pairs_[texts_read_];
  record.text = texts_[texts_read_++];
  return record;
}

std::vector<text::InputRecord> InputTexts::rest() {
  std::vector<text::InputRecord> records;
  while (auto record = next()) records.push_back(std::move(*record));
  return records;
}

}  // namespace summand::cli
