#include "terminal/table.hpp"
#include "terminal/number_text.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using namespace summand::terminal;

namespace {

std::string printed(const Table& table) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  table.print(stream);
  std::fclose(stream);
  const std::string result(text, size);
  std::free(text);
  return result;
}

}  // namespace

TEST_CASE("a wide character takes two columns, a combining mark none") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("我a") == 3);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("🙂") == 2);
  CHECK(display_width("\xff") == 1);
  CHECK(display_width("") == 0);
}

TEST_CASE("a text is cut at columns, not bytes, and keeps to one line") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdefg", 6) == "abcde…");
  CHECK(shortened("我我我我", 6) == "我我…");
  CHECK(shortened("a\nb\tc", 9) == "a b c");
}

TEST_CASE("a number is never minus nothing") {
  CHECK(fixed(-0.001, 2) == "0.00");
  CHECK(fixed(-0.01, 2) == "-0.01");
  CHECK(fixed(1.005, 1) == "1.0");
}

TEST_CASE("columns are as wide as what stands in them, and groups have a heading") {
  Table table({{"", Align::left, ""}, {"x", Align::right, "left group"}, {"yy", Align::right, "right"}});
  table.add({"我", "1", "2"});
  table.add({"abc", "10", "300"});
  CHECK(printed(table) ==
        "     │  left group  │  right\n"
        "     │           x  │     yy\n"
        "我   │           1  │      2\n"
        "abc  │          10  │    300\n");
}

TEST_CASE("a row about the whole has its label across the columns before its cells, under a rule") {
  Table table({{"", Align::left, ""}, {"x", Align::right, "a"}, {"y", Align::right, "b"}, {"z", Align::right, "b"}});
  table.add({"abc", "10", "300", "1"});
  table.add_whole("all of it", {"7", "22"});
  table.add_whole("一二三四五", {"", "2"});
  CHECK(printed(table) ==
        "     │  a   │  b\n"
        "     │   x  │    y   z\n"
        "abc  │  10  │  300   1\n"
        "─────┴──────┼─────────\n"
        "all of it   │    7  22\n"
        "一二三四五  │        2\n");
  Table narrow({{"", Align::left, ""}, {"x", Align::right, "a"}, {"y", Align::right, ""}});
  narrow.add({"b", "1", "2"});
  narrow.add_whole("longer than what it spans", {"3"});
  CHECK(printed(narrow) ==
        "   │  a                    │\n"
        "   │                    x  │  y\n"
        "b  │                    1  │  2\n"
        "───┴───────────────────────┼───\n"
        "longer than what it spans  │  3\n");
}

TEST_CASE("rows that come in portions stand under one header, in columns of at least their width") {
  Table table({{.name = "label", .align = Align::left, .group = "", .least_width = 8},
               {.name = "score", .align = Align::right, .group = ""}});
  char* text = nullptr;
  size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  table.add({"good", "0.5"});
  table.print_portion(stream);
  table.add({"very good", "0.25"});
  table.add({"bad", "0.1"});
  table.print_portion(stream);
  std::fclose(stream);
  const std::string result(text, size);
  std::free(text);
  CHECK(result ==
        "label     score\n"
        "good        0.5\n"
        "very good   0.25\n"
        "bad          0.1\n");
}

TEST_CASE("things are counted in the singular and in the plural") {
  CHECK(counted(0, "text") == "0 texts");
  CHECK(counted(1, "text") == "1 text");
  CHECK(counted(2, "hidden state") == "2 hidden states");
}

TEST_CASE("a score has four decimals, unless they would round it away") {
  CHECK(score_text(0.97214) == "0.9721");
  CHECK(score_text(0.001) == "0.0010");
  CHECK(score_text(0.00012345) == "1.2e-04");
  CHECK(score_text(0) == "0.0000");
  CHECK(score_text(-0.00001) == "0.0000");
  CHECK(score_text(-3.14159) == "-3.1416");
}
