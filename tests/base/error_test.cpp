#include "base/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("an error says where and what on one line") {
  const summand::CheckpointError error("safetensors", "'x': expected F32 [3], got F16 [3]");
  CHECK(std::string(error.what()) == "[safetensors] 'x': expected F32 [3], got F16 [3]");
}

TEST_CASE("an error's place and message are parts of its line, whatever brackets they hold") {
  const summand::TextError error("a] b\n", "x] y");
  CHECK(std::string(error.what()) == "[a] b\\x0a] x] y");
  CHECK(error.where() == "a] b\\x0a");
  CHECK(error.message() == "x] y");
  CHECK(std::string(summand::TextError(error.where(), error.message()).what()) == error.what());
  const summand::Error cut(std::string(10'000, 'x'), "y");
  CHECK(cut.where().size() > 8000);
  CHECK(cut.message().empty());
}

TEST_CASE("a quoted text stays on one line, is cut, and is not cut inside a character") {
  CHECK(summand::printable("a\nb\x01") == "a\\x0ab\\x01");
  const std::string long_text = std::string(199, 'x') + "ä";
  CHECK(summand::printable(long_text + "more") == std::string(199, 'x') + "…");
  CHECK(summand::printable(std::string(200, 'x')) == std::string(200, 'x'));
}

TEST_CASE("an error is one line that a terminal only shows, whatever it quotes") {
  const summand::Error error("a\nb", "\x1b[2J \xC2\x9B \xE2\x80\xA8 \xE2\x80\xAE \xFF\xC3 ä\\x0a");
  CHECK(std::string(error.what()) == "[a\\x0ab] \\x1b[2J \\u009b \\u2028 \\u202e \\xff\\xc3 ä\\x0a");
  CHECK(summand::escaped(error.what()) == error.what());
}

TEST_CASE("an error is cut where nobody would read on, and not inside a character") {
  std::string text = "x";
  while (text.size() < 1'000'000) text += "ä";
  const std::string message = summand::Error("where", text).what();
  CHECK(message.size() <= 8192);
  CHECK(message.size() > 8185);
  CHECK(message.ends_with("ä…"));
}

TEST_CASE("a list of names is quoted, and of many the first and how many more") {
  CHECK(summand::quoted_list({}) == "");
  CHECK(summand::quoted_list(std::vector<std::string>{"a", "b\n"}) == "'a', 'b\\x0a'");
  std::vector<std::string> names(20, "x");
  const std::string twenty = summand::quoted_list(names);
  CHECK(twenty.ends_with("'x', 'x'"));
  names.insert(names.end(), 16'380, "y");
  CHECK(summand::quoted_list(names) == twenty + " and 16380 more");
}
