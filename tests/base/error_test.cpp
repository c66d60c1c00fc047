#include "base/error.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("an error says where and what on one line") {
  const summand::CheckpointError error("safetensors", "'x': expected F32 [3], got F16 [3]");
  CHECK(std::string(error.what()) == "[safetensors] 'x': expected F32 [3], got F16 [3]");
}

TEST_CASE("a quoted text stays on one line, is cut, and is not cut inside a character") {
  CHECK(summand::printable("a\nb\x01") == "a\\x0ab\\x01");
  const std::string long_text = std::string(199, 'x') + "ä";
  CHECK(summand::printable(long_text + "more") == std::string(199, 'x') + "…");
  CHECK(summand::printable(std::string(200, 'x')) == std::string(200, 'x'));
}
