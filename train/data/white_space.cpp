#include "train/data/white_space.hpp"

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::train {

namespace {

/// Whether a character of the text is white space, or is not.
bool has(std::string_view text, bool white_space) {
  while (!text.empty()) {
    const DecodedCharacter character = decode_utf8(text);
    if (((text::unicode_flags(character.code_point) & text::kWhitespace) != 0) == white_space) return true;
    text.remove_prefix(character.bytes);
  }
  return false;
}

}  // namespace

bool has_white_space(std::string_view text) {
  return has(text, true);
}

bool is_blank(std::string_view text) {
  return !has(text, false);
}

}  // namespace summand::train
