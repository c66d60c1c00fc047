#include "text/record_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "text/field_names.hpp"

namespace summand::text {

namespace {

constexpr std::array<std::string_view, 3> kColumns{"text", "text_pair", "id"};

std::string json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

RecordTable::RecordTable(DelimitedRows& rows, LineReader& lines, const InputRules& rules)
    : rows_(&rows), lines_(&lines) {
  auto header = rows_->next();
  if (!header || is_blank(*header)) {
    throw TextError(lines_->where(1), fmt::format("expected a line with the names of the columns, got {}",
                                                  header ? "a blank line" : "an empty input"));
  }
  header_ = *std::move(header);
  if (std::ranges::any_of(header_, [](const auto& name) { return name.find('\r') != name.npos; })) {
    throw TextError(lines_->where(1), "expected lines that end in \\n or \\r\\n, got \\r alone in the header line");
  }
  find_columns(rules);
}

void RecordTable::find_columns(const InputRules& rules) {
  const auto& fields = rules.fields;
  const auto text = column(fields.text_name());
  pair_ = column(fields.pair_name());
  id_ = column(fields.id_name());
  if (fields.label) label_ = column(*fields.label);
  if (!text) refuse_missing(fields.text_name(), rules.advice.text_field);
  if (fields.text_pair && !pair_) refuse_missing(*fields.text_pair, {});
  if (fields.id && !id_) refuse_missing(*fields.id, {});
  if (fields.label && !label_) refuse_missing(*fields.label, rules.advice.label_field);
  text_ = *text;
  refuse_misspellings(header_, kColumns, fields, lines_->where(rows_->line_number()));
}

std::optional<size_t> RecordTable::column(std::string_view name) const {
  const auto found = std::ranges::find(header_, name);
  if (found == header_.end()) return std::nullopt;
  if (std::find(std::next(found), header_.end(), name) != header_.end()) {
    throw TextError(lines_->where(rows_->line_number()),
                    fmt::format("'{}': expected a column once, got it twice", printable(name)));
  }
  return static_cast<size_t>(found - header_.begin());
}

void RecordTable::refuse_missing(std::string_view name, std::string_view advice) const {
  throw TextError(lines_->where(rows_->line_number()),
                  fmt::format("expected the column '{}', got {}{}", printable(name), quoted_list(header_), advice));
}

std::optional<InputRecord> RecordTable::next() {
  auto row = rows_->next();
  if (!row) return std::nullopt;
  if (is_blank(*row)) {
    expect_the_end(rows_->line_number());
    return std::nullopt;
  }
  if (row->size() != header_.size()) {
    throw TextError(lines_->where(rows_->line_number()),
                    fmt::format("expected {} fields as in the header line, got {}", header_.size(), row->size()));
  }
  InputRecord record((*row)[text_]);  // copied: the same column may be named twice
  // A table cannot leave a cell out: an empty one is no second text, as another line may need one.
  if (pair_ && !(*row)[*pair_].empty()) record.text_pair = (*row)[*pair_];
  if (id_) record.id = json_string((*row)[*id_]);
  if (label_) record.label = json_string((*row)[*label_]);
  return record;
}

/// Whether it is a line with nothing in it: an empty text in a table of one column is written "".
bool RecordTable::is_blank(const std::vector<std::string>& row) const {
  return row.size() == 1 && row[0].empty() && lines_->line().empty();
}

void RecordTable::expect_the_end(size_t blank_line) {
  while (const auto row = rows_->next()) {
    if (is_blank(*row)) continue;
    throw TextError(lines_->where(blank_line),
                    fmt::format("expected a row of {} fields, got a blank line", header_.size()));
  }
}

}  // namespace summand::text
