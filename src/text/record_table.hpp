#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "text/delimited_rows.hpp"
#include "text/input_record.hpp"

namespace summand::text {

/// The records of a .csv or .tsv input: a header line names the columns, of which `text`, `text_pair` and `id` are
/// read. Blank lines at the end are passed over.
class RecordTable {
 public:
  /// @param rows  outlives this object
  /// @throws TextError if there is no header line, if a column that is to be read is missing (the message lists those
  /// that are there) or there twice, or if a column looks like a misspelling of one that is read
  RecordTable(DelimitedRows& rows, LineReader& lines, const InputRules& rules);

  /// The next record, or nothing at the end.
  /// @throws TextError for a row with other than the header's number of fields, a blank line before another row, and as
  /// DelimitedRows
  [[nodiscard]] std::optional<InputRecord> next();

 private:
  [[nodiscard]] std::optional<size_t> column(std::string_view name) const;
  void find_columns(const InputRules& rules);
  [[nodiscard]] bool is_blank(const std::vector<std::string>& row) const;
  void expect_the_end(size_t blank_line);
  [[noreturn]] void refuse_missing(std::string_view name, std::string_view advice) const;

  DelimitedRows* rows_;
  LineReader* lines_;
  std::vector<std::string> header_;
  size_t text_ = 0;
  std::optional<size_t> pair_;
  std::optional<size_t> id_;
  std::optional<size_t> label_;
};

}  // namespace summand::text
