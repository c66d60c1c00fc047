#include "text/input_reader.hpp"

#include <fmt/format.h>

#include <istream>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "text/delimited_rows.hpp"
#include "text/input_bytes.hpp"
#include "text/record_object.hpp"
#include "text/record_table.hpp"

namespace summand::text {

namespace {

InputFormat known_format(const std::filesystem::path& path, const InputRules& rules) {
  if (rules.format) return *rules.format;
  if (const auto format = format_of(path)) return *format;
  throw UsageError("input", fmt::format("'{}': expected a name that ends in .txt, .jsonl, .csv or .tsv, or an explicit "
                                        "format",
                                        printable(path.string())));
}

/// A stream that owns its buffer.
class ByteStream : public std::istream {
 public:
  explicit ByteStream(const std::filesystem::path& path) : std::istream(nullptr), bytes_(path) { rdbuf(&bytes_); }
  [[nodiscard]] const std::string& name() const { return bytes_.name(); }

 private:
  InputBytes bytes_;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

}  // namespace

std::optional<InputFormat> format_of(const std::filesystem::path& path) {
  const auto ending = path.extension();
  if (ending == ".txt") return InputFormat::txt;
  if (ending == ".jsonl") return InputFormat::jsonl;
  if (ending == ".csv") return InputFormat::csv;
  if (ending == ".tsv") return InputFormat::tsv;
  return std::nullopt;
}

InputReader InputReader::open(const std::filesystem::path& path, const InputRules& rules) {
  InputRules known = rules;
  known.format = known_format(path, rules);
  auto stream = std::make_unique<ByteStream>(path);
  std::string name = stream->name();
  return {std::move(stream), std::move(name), std::move(known)};
}

InputReader::InputReader(std::unique_ptr<std::istream> stream, std::string name, InputRules rules)
    : rules_(std::move(rules)), lines_(std::make_unique<LineReader>(std::move(stream), std::move(name), rules_)) {
  if (!rules_.format) throw UsageError(lines_->name(), "expected a format, got none");
  if (*rules_.format == InputFormat::txt && !rules_.fields.are_usual()) {
    throw UsageError(lines_->name(), "expected a .jsonl, .csv or .tsv input where fields are named, got lines of text");
  }
}
InputReader::InputReader(InputReader&&) noexcept = default;
InputReader& InputReader::operator=(InputReader&&) noexcept = default;
InputReader::~InputReader() = default;

std::optional<InputRecord> InputReader::next() {
  auto record = next_record();
  if (lines_->take_invalid() && record) ++invalid_records_;
  return record;
}

std::string InputReader::where() const {
  return rows_ ? lines_->where(rows_->line_number()) : lines_->where();
}

std::optional<InputRecord> InputReader::next_record() {
  switch (*rules_.format) {
    case InputFormat::txt:
      return next_line();
    case InputFormat::jsonl:
      return next_object();
    case InputFormat::csv:
      return next_row(',');
    case InputFormat::tsv:
      return next_row('\t');
  }
  throw UsageError(lines_->name(), "expected one of the formats, got another number");
}

std::optional<InputRecord> InputReader::next_line() {
  if (!lines_->next()) return std::nullopt;
  return InputRecord(std::move(lines_->line()));
}

std::optional<InputRecord> InputReader::next_object() {
  if (!lines_->next()) return std::nullopt;
  const std::string where = lines_->where();
  if (rules_.invalid_utf8 == InvalidUtf8::replace) lines_->replace_lone_surrogates();
  if (!is_blank(lines_->line())) return read_object(lines_->line(), rules_, where);
  while (lines_->next()) {
    if (!is_blank(lines_->line())) throw TextError(where, "expected a JSON object, got a blank line");
  }
  return std::nullopt;
}

std::optional<InputRecord> InputReader::next_row(char delimiter) {
  if (!records_) {
    rows_ = std::make_unique<DelimitedRows>(*lines_, delimiter);
    records_ = std::make_unique<RecordTable>(*rows_, *lines_, rules_);
    (void)lines_->take_invalid();  // the header is no text
  }
  return records_->next();
}

}  // namespace summand::text
