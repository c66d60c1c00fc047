#include "base/utf8.hpp"

#include <algorithm>
#include <cstring>

namespace summand {

namespace {

struct Lead {
  uint32_t following;     // continuation bytes; 0 for a byte that cannot start a character
  unsigned char lowest;   // of the second byte
  unsigned char highest;  // of the second byte
};

// Source: The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
Lead lead(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

DecodedCharacter decode_utf8(std::string_view text) {
  constexpr char32_t kReplaced = 0xFFFD;
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  const Lead first = lead(byte(0));
  uint32_t taken = 1;
  for (; taken <= first.following; ++taken) {
    const unsigned char lowest = taken == 1 ? first.lowest : 0x80;
    const unsigned char highest = taken == 1 ? first.highest : 0xBF;
    if (taken >= text.size() || byte(taken) < lowest || byte(taken) > highest) return {kReplaced, taken, false};
  }
  if (first.following == 0) return {kReplaced, 1, false};
  return decode_valid_utf8(text.data());
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

size_t valid_utf8_prefix(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t at = 0;
  while (at < text.size()) {
    uint64_t word = 0;
    while (at + sizeof word <= text.size() &&
           (std::memcpy(&word, text.data() + at, sizeof word), !(word & kHighBits))) {
      at += sizeof word;
    }
    if (at == text.size()) break;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const DecodedCharacter character = decode_utf8(text.substr(at));
    if (!character.valid) return at;
    at += character.bytes;
  }
  return text.size();
}

bool is_valid_utf8(std::string_view text) {
  return valid_utf8_prefix(text) == text.size();
}

RepairedText::RepairedText(std::string_view given) {
  text_.reserve(given.size() + given.size() / 2);
  size_t at = 0;
  while (at < given.size()) {
    const size_t valid = valid_utf8_prefix(given.substr(at));
    text_ += given.substr(at, valid);
    at += valid;
    if (at == given.size()) break;
    at += decode_utf8(given.substr(at)).bytes;
    append_utf8(text_, 0xFFFD);
    repairs_.push_back({text_.size(), at});
  }
}

size_t RepairedText::given_position(size_t position) const {
  const auto later = std::upper_bound(repairs_.begin(), repairs_.end(), position,
                                      [](size_t value, const Repair& repair) { return value < repair.end; });
  if (later == repairs_.begin()) return position;
  const Repair& last = *std::prev(later);
  return last.given_end + (position - last.end);
}

}  // namespace summand
