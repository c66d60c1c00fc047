#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "text/line_reader.hpp"

namespace summand::text {

/// Rows of fields, as in RFC 4180: a field in quotes may hold delimiters, line ends and, doubled, quotes. A quote
/// inside a field that does not begin with one stands for itself, and blanks belong to their field. Line ends inside
/// quotes stay as they are written.
class DelimitedRows {
 public:
  /// @param lines  outlives this object
  /// @param delimiter  ',' or '\t'
  DelimitedRows(LineReader& lines, char delimiter) : lines_(&lines), delimiter_(delimiter) {}

  /// The fields of the next row, or nothing at the end. A blank line is a row of one empty field.
  /// @throws TextError naming the line of a quote that is never closed, or closed and followed by something else
  [[nodiscard]] std::optional<std::vector<std::string>> next();

  /// The line on which the row began that was read last.
  [[nodiscard]] size_t line_number() const { return begin_; }

 private:
  [[nodiscard]] std::string quoted_field(size_t& at);
  [[noreturn]] void refuse_rest(size_t at) const;

  LineReader* lines_;
  char delimiter_;
  size_t begin_ = 0;
};

}  // namespace summand::text
