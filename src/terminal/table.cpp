#include "terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace summand::terminal {

namespace {

struct CodePoint {
  char32_t value = 0;
  size_t bytes = 1;
};

/// The code point at the front of valid UTF-8; anything else counts as one narrow byte.
CodePoint front(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = lead < 0x80 ? 1 : lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {lead, 1};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {value, bytes};
}

/// Source: Unicode Standard Annex 11 (East Asian width W and F), in blocks.
size_t columns_of(char32_t c) {
  using Range = std::pair<char32_t, char32_t>;
  static constexpr std::array<Range, 5> kNone{
      {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};
  static constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F},
                                               {0x2E80, 0x303E},
                                               {0x3041, 0xA4CF},
                                               {0xAC00, 0xD7A3},
                                               {0xF900, 0xFAFF},
                                               {0xFE30, 0xFE6F},
                                               {0xFF00, 0xFF60},
                                               {0x1F300, 0x1FAFF},
                                               {0x20000, 0x3FFFD}}};
  const auto within = [c](const Range& range) { return c >= range.first && c <= range.second; };
  if (std::ranges::any_of(kNone, within)) return 0;
  return std::ranges::any_of(kWide, within) ? 2 : 1;
}

/// Between groups of columns.
constexpr std::string_view kBar = "  │  ";

std::string padded(const std::string& cell, size_t width, Align align) {
  const std::string space(width - std::min(width, display_width(cell)), ' ');
  return align == Align::left ? cell + space : space + cell;
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = front(text);
    width += columns_of(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, size_t width) {
  std::string clean;
  for (const char c : text) clean += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  if (display_width(clean) <= width) return clean;
  std::string cut;
  size_t used = 1;  // the ellipsis
  for (std::string_view rest = clean; !rest.empty();) {
    const CodePoint point = front(rest);
    used += columns_of(point.value);
    if (used > width) break;
    cut += rest.substr(0, point.bytes);
    rest.remove_prefix(point.bytes);
  }
  return cut + "…";
}

void Table::add(std::vector<std::string> cells) {
  rows_.push_back({.cells = std::move(cells)});
}

void Table::add_whole(std::string label, std::vector<std::string> cells) {
  Row row{.cells = {}, .spanned = columns_.size() - cells.size()};
  row.cells = std::move(cells);
  row.cells.insert(row.cells.begin(), std::move(label));
  rows_.push_back(std::move(row));
}

/// Separator before a column: a bar if a group begins.
std::string_view Table::between(size_t column) const {
  if (column == 0) return "";
  return columns_[column].group != columns_[column - 1].group ? kBar : "  ";
}

/// Prints the headings of groups. One that is wider than its columns makes its last column wider.
void Table::print_groups(std::FILE* to, std::vector<size_t>& widths) const {
  std::string line;
  for (size_t first = 0; first < columns_.size();) {
    size_t end = first + 1;
    size_t width = widths[first];
    for (; end < columns_.size() && columns_[end].group == columns_[first].group; ++end) width += 2 + widths[end];
    const size_t heading = display_width(columns_[first].group);
    if (heading > width) widths[end - 1] += heading - width;
    line.append(between(first)).append(padded(columns_[first].group, width, Align::left));
    first = end;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print(to, "{}\n", line);
}

/// Width of the first columns, separators included.
size_t Table::width_of(const std::vector<size_t>& widths, size_t columns) const {
  size_t width = 0;
  for (size_t i = 0; i < columns; ++i) width += display_width(between(i)) + widths[i];
  return width;
}

std::vector<size_t> Table::widths() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = std::max(columns_[i].least_width, display_width(columns_[i].name));
    for (const auto& row : rows_) {
      if (i >= row.spanned || row.spanned == 1) width = std::max(width, display_width(row.cells[i + 1 - row.spanned]));
    }
    widths.push_back(width);
  }
  for (const auto& row : rows_) {
    const size_t label = display_width(row.cells[0]);
    const size_t room = width_of(widths, row.spanned);
    if (label > room) widths[row.spanned - 1] += label - room;
  }
  return widths;
}

void Table::print_row(std::FILE* to, const std::vector<size_t>& widths, const Row& row) const {
  const Align align = row.spanned > 1 ? Align::left : columns_[0].align;
  std::string line = padded(row.cells[0], width_of(widths, row.spanned), align);
  for (size_t i = row.spanned; i < columns_.size(); ++i) {
    line.append(between(i)).append(padded(row.cells[i + 1 - row.spanned], widths[i], columns_[i].align));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print(to, "{}\n", line);
}

/// Under the bars between columns that a label takes the place of, the rule ends them.
void Table::print_rule(std::FILE* to, const std::vector<size_t>& widths, size_t spanned) const {
  std::string line;
  const auto dashes = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) line += "─";
  };
  for (size_t i = 0; i < columns_.size(); ++i) {
    const size_t before = between(i) == kBar ? 2 : 0;
    dashes(before);
    if (before > 0) line += i < spanned ? "┴" : "┼";
    dashes(before > 0 ? 2 : display_width(between(i)));
    dashes(widths[i]);
  }
  fmt::print(to, "{}\n", line);
}

void Table::print_header(std::FILE* to, std::vector<size_t>& widths) const {
  if (std::ranges::any_of(columns_, [](const Column& column) { return !column.group.empty(); })) {
    print_groups(to, widths);
  }
  Row names;
  for (const auto& column : columns_) names.cells.push_back(column.name);
  print_row(to, widths, names);
}

void Table::print_rows(std::FILE* to, const std::vector<size_t>& widths) const {
  for (size_t row = 0; row < rows_.size(); ++row) {
    const size_t spanned = rows_[row].spanned;
    if (spanned > 1 && (row == 0 || rows_[row - 1].spanned == 1)) print_rule(to, widths, spanned);
    print_row(to, widths, rows_[row]);
  }
}

void Table::print(std::FILE* to) const {
  auto all = widths();
  print_header(to, all);
  print_rows(to, all);
}

void Table::print_portion(std::FILE* to) {
  auto all = widths();
  if (!header_is_printed_) print_header(to, all);
  header_is_printed_ = true;
  print_rows(to, all);
  rows_.clear();
}

void print_pairs(std::FILE* to, std::string_view heading,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  size_t width = 0;
  for (const auto& [name, value] : pairs) width = std::max(width, display_width(name));
  if (!heading.empty()) fmt::print(to, "{}\n", heading);
  const char* indent = heading.empty() ? "" : "  ";
  for (const auto& [name, value] : pairs) fmt::print(to, "{}{}  {}\n", indent, padded(name, width, Align::left), value);
}

}  // namespace summand::terminal
