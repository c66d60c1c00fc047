#include "lab/run/text_lines.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace summand::lab {

namespace {

constexpr size_t kNarrowest = 60;
constexpr size_t kWidest = 120;
constexpr size_t kUsual = 80;

/// First and last characters of two columns.
/// Source: Unicode Standard Annex #11, East Asian Width: those that are wide or full-width, in blocks
constexpr std::array<std::pair<char32_t, char32_t>, 8> kWide{{{0x1100, 0x115F},
                                                              {0x2E80, 0xA4CF},
                                                              {0xAC00, 0xD7A3},
                                                              {0xF900, 0xFAFF},
                                                              {0xFE30, 0xFE6F},
                                                              {0xFF00, 0xFF60},
                                                              {0xFFE0, 0xFFE6},
                                                              {0x20000, 0x3FFFD}}};
constexpr std::u32string_view kEnds = U"，。；：！？、）》”’…";  // no line begins with these
constexpr std::u32string_view kBegins = U"（《“‘";               // and none ends with these

bool is_wide(char32_t character) {
  return std::ranges::any_of(kWide,
                             [&](const auto& range) { return range.first <= character && character <= range.second; });
}

/// Of a text: what no line end may part, and whether a blank stands before it.
struct Piece {
  std::string text;
  bool behind_blank = false;
};

/// Whether a line may end between two characters without a blank there.
bool may_part(char32_t before, char32_t after) {
  if (kEnds.find(after) != kEnds.npos || kBegins.find(before) != kBegins.npos) return false;
  return is_wide(before) || is_wide(after);
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  char32_t before = U' ';
  for (size_t at = 0; at < text.size();) {
    const auto [character, bytes, valid] = decode_utf8(text.substr(at));
    if (character != U' ') {
      const bool begins = before == U' ' || may_part(before, character);
      if (begins || pieces.empty()) pieces.push_back({.text = {}, .behind_blank = before == U' ' && !pieces.empty()});
      pieces.back().text += text.substr(at, bytes);
    }
    before = character;
    at += bytes;
  }
  return pieces;
}

}  // namespace

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) {
    const auto [character, bytes, valid] = decode_utf8(text.substr(at));
    columns += is_wide(character) ? 2 : 1;
    at += bytes;
  }
  return columns;
}

std::string padded(std::string_view text, size_t columns) {
  const size_t own = columns_of(text);
  return std::string(text) + std::string(columns > own ? columns - own : 0, ' ');
}

std::string wrapped(std::string_view label, std::string_view text, size_t width) {
  const std::string indent(columns_of(label), ' ');
  std::string lines;
  std::string line(label);
  bool begun = false;
  for (const auto& piece : pieces_of(text)) {
    const std::string added = (begun && piece.behind_blank ? " " : "") + piece.text;
    if (begun && columns_of(line) + columns_of(added) > width) {
      lines += line + "\n";
      line = indent + piece.text;
    } else {
      line += added;
    }
    begun = true;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return lines + line + "\n";
}

size_t output_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::clamp(static_cast<size_t>(size.ws_col), kNarrowest, kWidest);
}

}  // namespace summand::lab
