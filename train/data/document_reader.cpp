#include "train/data/document_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "train/data/white_space.hpp"

namespace summand::train {

namespace {

void append_lines(std::string_view text, Document& document) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!is_blank(line)) document.emplace_back(line);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void append_record(const text::InputRecord& record, Document& document) {
  if (record.words) {
    std::string sentence;
    for (const std::string& word : *record.words) sentence += (sentence.empty() ? "" : " ") + word;
    append_lines(sentence, document);
    return;
  }
  append_lines(record.text, document);
  if (record.text_pair) append_lines(*record.text_pair, document);
}

bool is_lines(const std::string& path) {
  return inputs::InputFile::format_of(path) == text::InputFormat::txt;
}

}  // namespace

bool have_fields(const std::vector<std::string>& paths) {
  return !std::ranges::all_of(paths, is_lines);
}

DocumentReader::DocumentReader(std::vector<std::string> paths, text::InputFields fields)
    : paths_(std::move(paths)), fields_(std::move(fields)) {
  if (paths_.empty()) throw UsageError("FILES", "expected at least one file, got none");
  for (const auto& path : paths_) {
    const auto bytes = inputs::InputFile::check(path, {});
    if (!bytes)
      throw UsageError("FILES", fmt::format("'{}': expected a file, which is read twice, got a pipe", printable(path)));
    bytes_ += *bytes;
  }
}

std::string name_of_files(const std::vector<std::string>& paths) {
  const std::string first = printable(paths.front());
  return paths.size() == 1 ? first : fmt::format("{} and {} more", first, paths.size() - 1);
}

std::optional<Document> DocumentReader::next() {
  Document document;
  while (true) {
    if (!file_) {
      if (next_path_ == paths_.size()) return std::nullopt;
      lines_ = is_lines(paths_[next_path_]);
      text::InputRules rules{.advice = {.text_field = "; --field names another"}};
      if (!lines_) rules.fields = fields_;
      file_.emplace(paths_[next_path_], rules);
      ++next_path_;
    }
    while (auto record = file_->next()) {
      if (!lines_) {
        append_record(*record, document);
      } else if (!is_blank(record->text)) {
        document.push_back(std::move(record->text));
        continue;
      }
      if (!document.empty()) return document;
    }
    bytes_before_ += file_->bytes_read();
    file_.reset();
    if (!document.empty()) return document;
  }
}

}  // namespace summand::train
