#include "cli/input.hpp"

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

InputTexts::InputTexts(const InputOptions& options) : texts_(options.texts) {
  if (options.path.empty() == options.texts.empty()) {
    throw api::UsageError(
        "input", options.path.empty() ? "expected INPUT or --text, got neither" : "expected INPUT or --text, got both");
  }
  if (options.path.empty()) return;
  std::optional<text::InputFormat> format;
  if (!options.format.empty()) format = options.format == "txt" ? text::InputFormat::txt : text::InputFormat::jsonl;
  reader_ = text::InputReader::open(options.path, format);
}

std::optional<text::InputRecord> InputTexts::next() {
  if (reader_) return reader_->next();
  if (next_text_ == texts_.size()) return std::nullopt;
  text::InputRecord record;
  record.text = texts_[next_text_++];
  return record;
}

std::vector<text::InputRecord> InputTexts::rest() {
  std::vector<text::InputRecord> records;
  while (auto record = next()) records.push_back(std::move(*record));
  return records;
}

}  // namespace summand::cli
