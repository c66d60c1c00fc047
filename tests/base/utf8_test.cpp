#include "base/utf8.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace summand {

TEST_CASE("every code point but surrogates survives encoding and decoding") {
  for (char32_t code_point = 0; code_point < 0x110000; ++code_point) {
    std::string text;
    append_utf8(text, code_point);
    const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
    REQUIRE(is_valid_utf8(text) == !surrogate);
    if (surrogate) continue;
    REQUIRE(decode_utf8(text).code_point == code_point);
    REQUIRE(decode_valid_utf8(text.data()).bytes == text.size());
    REQUIRE(previous_character(text.data() + text.size()) == text.data());
  }
}

TEST_CASE("an invalid sequence is replaced over its maximal subpart") {
  // Source: The Unicode Standard, table 3-8, and the same for surrogates and overlong forms
  const RepairedText repaired("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64");
  CHECK(repaired.text() == "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  const std::vector<std::pair<size_t, size_t>> places{{0, 0},  {1, 1},   {4, 4},   {7, 6},   {10, 7}, {11, 8},
                                                      {14, 9}, {15, 10}, {18, 11}, {21, 12}, {22, 13}};
  for (const auto& [position, given] : places) CHECK(repaired.given_position(position) == given);
  CHECK(RepairedText("\xED\xA0\x80").text() == "\uFFFD\uFFFD\uFFFD");
  CHECK(RepairedText("\xC0\x80\xF5").text() == "\uFFFD\uFFFD\uFFFD");
  CHECK(RepairedText("\xF0\x9F\x98").text() == "\uFFFD");
}

}  // namespace summand
