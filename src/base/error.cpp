#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"

namespace summand {

namespace {

constexpr size_t kLongestMessage = 8192;  // two paths of the longest kind the system has

/// Whether a terminal would act on it instead of showing it.
bool is_control(char32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return true;
  const bool ends_line = code_point == 0x2028 || code_point == 0x2029;
  const bool turns = (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
  return ends_line || turns;
}

/// The text, or its first whole characters and "…".
std::string cut(std::string_view text, size_t most, std::string (*shown)(std::string_view)) {
  if (text.size() <= most) return shown(text);
  size_t end = most;
  for (int i = 0; i < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80; ++i) --end;
  return shown(text.substr(0, end)) + "…";
}

std::string one_line(std::string_view where, std::string_view message) {
  constexpr std::string_view kMark = "…";
  const auto same = [](std::string_view text) { return std::string(text); };
  return cut(escaped(fmt::format("[{}] {}", where, message)), kLongestMessage - kMark.size(), same);
}

/// A part of a text that may have been cut.
std::string_view part_of(std::string_view text, size_t begin, size_t size = std::string_view::npos) {
  return begin < text.size() ? text.substr(begin, size) : std::string_view();
}

}  // namespace

Error::Error(std::string_view where, std::string_view message)
    : std::runtime_error(one_line(where, message)), where_bytes_(escaped(where).size()) {}

std::string_view Error::where() const noexcept {
  return part_of(what(), 1, where_bytes_);
}

std::string_view Error::message() const noexcept {
  return part_of(what(), where_bytes_ + 3);
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code_point, bytes, valid] = decode_utf8(text);
    if (!valid) {
      for (const char c : text.substr(0, bytes)) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (is_control(code_point)) {
      out += code_point < 0x80 ? fmt::format("\\x{:02x}", static_cast<uint32_t>(code_point))
                               : fmt::format("\\u{:04x}", static_cast<uint32_t>(code_point));
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string printable(std::string_view text, size_t most) {
  return cut(text, most, escaped);
}

std::string quoted_list(std::span<const std::string> names) {
  constexpr size_t kMost = 20;
  const size_t shown = std::min(names.size(), kMost);
  std::string list;
  for (const auto& name : names.first(shown)) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", printable(name));
  if (shown < names.size()) list += fmt::format(" and {} more", names.size() - shown);
  return list;
}

}  // namespace summand
