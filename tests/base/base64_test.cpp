#include "base/base64.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace summand;

TEST_CASE("base64 is that of RFC 4648") {
  const std::string text = "foobar";
  const char* expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (size_t length = 0; length <= text.size(); ++length) {
    CHECK(base64(std::vector<uint8_t>(text.begin(), text.begin() + static_cast<long>(length))) == expected[length]);
  }
  CHECK(base64(std::vector<uint8_t>{0xFF, 0xEF, 0xBE}) == "/+++");
}
