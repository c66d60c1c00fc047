#pragma once

#include <array>
#include <cstdint>
#include <span>

/// The committed tables; generate.py writes unicode_data.cpp. Read them through text/unicode.hpp.
namespace summand::text::unicode_data {

/// What is true of a code point; `order` ranks combining marks in canonical ordering, 0 never moves.
struct Property {
  uint16_t flags;
  uint8_t order;
};

/// Full canonical decomposition: `length` code points of the pool from `start`. Hangul syllables follow a rule instead.
struct Decomposition {
  char32_t from;
  uint16_t start;
  uint8_t length;
};

/// Lower-casing that changes the code point; `second` is 0 where one code point is the result.
struct Lowering {
  char32_t from;
  char32_t first;
  char32_t second;
};

constexpr uint32_t kBlock = 128;

extern const std::span<const Property> properties;
extern const std::span<const uint16_t> block_of;
extern const std::span<const uint8_t> property_of;
extern const std::span<const char32_t> decomposition_pool;
extern const std::span<const Decomposition> decompositions;
extern const std::span<const Lowering> lowerings;

}  // namespace summand::text::unicode_data
