#include "text/unicode.hpp"

#include <algorithm>

#include "text/unicode_tables/unicode_data.hpp"

namespace summand::text {

namespace {

using namespace unicode_data;

static_assert(kBlock == kUnicodeBlock);

const Property& property(char32_t code_point) {
  const uint32_t block = block_of[code_point / kBlock];
  return properties[property_of[block * kBlock + code_point % kBlock]];
}

// Source: The Unicode Standard, section 3.12, "Hangul Syllable Decomposition".
CodePoints decompose_hangul(char32_t code_point) {
  const char32_t index = code_point - 0xAC00;
  CodePoints result{{0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28}, 3};
  if (index % 28 == 0) result.count = 2;
  return result;
}

}  // namespace

uint16_t unicode_flags(char32_t code_point) {
  return property(code_point).flags;
}

uint32_t unicode_block_class(uint32_t block) {
  return block_of[block];
}

uint32_t unicode_block_classes() {
  return static_cast<uint32_t>(property_of.size() / kBlock);
}

uint8_t combining_order(char32_t code_point) {
  return property(code_point).order;
}

CodePoints decomposition(char32_t code_point) {
  if (!(unicode_flags(code_point) & kDecomposes)) return {{code_point}, 1};
  if (code_point >= 0xAC00 && code_point <= 0xD7A3) return decompose_hangul(code_point);
  const auto found = std::lower_bound(decompositions.begin(), decompositions.end(), code_point,
                                      [](const Decomposition& row, char32_t from) { return row.from < from; });
  CodePoints result{{}, found->length};
  std::copy_n(decomposition_pool.begin() + found->start, found->length, result.values.begin());
  return result;
}

CodePoints lower_case(char32_t code_point) {
  if (!(unicode_flags(code_point) & kLowers)) return {{code_point}, 1};
  const auto found = std::lower_bound(lowerings.begin(), lowerings.end(), code_point,
                                      [](const Lowering& row, char32_t from) { return row.from < from; });
  return {{found->first, found->second}, found->second == 0 ? 1U : 2U};
}

}  // namespace summand::text
