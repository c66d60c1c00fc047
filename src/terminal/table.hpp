#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace summand::terminal {

/// Width of a text in terminal columns: two for a wide East Asian character or an emoji, none for a combining mark.
[[nodiscard]] size_t display_width(std::string_view text);

/// Default width of a text in a table.
inline constexpr size_t kTextWidth = 76;

/// The text without control characters, cut to at most `width` columns; an ellipsis marks a cut.
[[nodiscard]] std::string shortened(std::string_view text, size_t width);

enum class Align { left, right };

/// Rows of text under a header; each column is as wide as its widest cell.
class Table {
 public:
  struct Column {
    std::string name;
    Align align = Align::left;
    std::string group;  ///< neighbouring columns with the same group share a heading and a bar before them
    size_t least_width = 0;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);
  /// A summary row: its label spans all columns before its cells. A rule is drawn above the first one.
  void add_whole(std::string label, std::vector<std::string> cells);
  void print(std::FILE* to) const;
  /// Prints the rows added since the last call, the first time with the header. A column is as wide as its widest cell
  /// in the portion, or least_width.
  void print_portion(std::FILE* to);

 private:
  struct Row {
    std::vector<std::string> cells;
    size_t spanned = 1;  ///< columns that the first cell takes
  };

  [[nodiscard]] std::vector<size_t> widths() const;
  [[nodiscard]] size_t width_of(const std::vector<size_t>& widths, size_t columns) const;
  void print_row(std::FILE* to, const std::vector<size_t>& widths, const Row& row) const;
  void print_rule(std::FILE* to, const std::vector<size_t>& widths, size_t spanned) const;
  void print_header(std::FILE* to, std::vector<size_t>& widths) const;
  void print_rows(std::FILE* to, const std::vector<size_t>& widths) const;
  [[nodiscard]] std::string_view between(size_t column) const;
  void print_groups(std::FILE* to, std::vector<size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  bool header_is_printed_ = false;
};

/// "name   value" lines under a heading.
void print_pairs(std::FILE* to, std::string_view heading,
                 const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace summand::terminal
