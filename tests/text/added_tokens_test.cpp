#include "text/added_tokens.hpp"

#include <doctest/doctest.h>

#include <string>

namespace summand::text {

namespace {

// The text with every added token as <id> and every other stretch in brackets.
std::string segments(std::string_view text, const std::vector<AddedToken>& tokens) {
  const AddedTokenMatcher matcher(tokens, AddedTokenMatcher::Text::given);
  std::vector<AddedTokenMatcher::Segment> found;
  matcher.segment(text, found);
  std::string result;
  for (const auto& [id, begin, end] : found) {
    result += id < 0 ? "[" + std::string(text.substr(begin, end - begin)) + "]"
                     : "<" + std::to_string(id) + ":" + std::string(text.substr(begin, end - begin)) + ">";
  }
  return result;
}

AddedToken token(std::string content, int32_t id) {
  return {.content = std::move(content), .normalized = false, .id = id};
}

}  // namespace

TEST_CASE("the leftmost token counts, and of those that start there the longest") {
  CHECK(segments("xabcabx", {token("ab", 1), token("abc", 2), token("bcab", 3)}) == "[x]<2:abc><1:ab>[x]");
  CHECK(segments("", {token("ab", 1)}).empty());
  CHECK(segments("ab", {}) == "[ab]");
}

TEST_CASE("a single word stands beside no letter, digit or underscore") {
  AddedToken single = token("ab", 1);
  single.single_word = true;
  CHECK(segments("ab xab abx _ab ab1 (ab)", {single}) == "<1:ab>[ xab abx _ab ab1 (]<1:ab>[)]");
  CHECK(segments("éab 中ab ab\u0301", {single}) == "[éab 中ab ab\u0301]");
}

TEST_CASE("stripping tokens take the white space beside them, once") {
  AddedToken left = token("ab", 1);
  left.lstrip = true;
  AddedToken right = token("cd", 2);
  right.rstrip = true;
  CHECK(segments("x \u3000ab  cd \n x", {left, right}) == "[x]<1: \u3000ab>[  ]<2:cd \n >[x]");
  CHECK(segments("cd  ab", {left, right}) == "<2:cd  ><1:ab>");
}

TEST_CASE("a token of the normalised text is not looked for in the text given") {
  AddedToken normalized = token("ab", 1);
  normalized.normalized = true;
  normalized.normal_form = "ab";
  CHECK(AddedTokenMatcher({normalized}, AddedTokenMatcher::Text::given).empty());
  CHECK_FALSE(AddedTokenMatcher({normalized}, AddedTokenMatcher::Text::normalized).empty());
}

TEST_CASE("a long blank is skipped once, not again by every token in it") {
  AddedToken blank = token(" ", 1);
  blank.rstrip = true;
  CHECK(segments("a  b", {blank}) == "[a]<1:  ><1: >[b]");
  const std::string text(1'000'000, ' ');  // its square would take hours
  std::vector<AddedTokenMatcher::Segment> found;
  AddedTokenMatcher({blank}, AddedTokenMatcher::Text::given).segment(text, found);
  CHECK(found.size() == text.size());
  CHECK(found.back().end == text.size());
}

}  // namespace summand::text
