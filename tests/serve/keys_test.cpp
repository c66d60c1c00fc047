#include "serve/service/keys.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "base/error.hpp"
#include "text/temporary_directory.hpp"

namespace {

using namespace summand::serve;
using namespace std::chrono_literals;

}  // namespace

TEST_CASE("a file without a key is refused, since it would let everybody in") {
  const summand::text::TemporaryDirectory folder;
  const auto file = folder.path() / "keys";
  std::ofstream(file) << "# none yet\n\n";
  Keys keys;
  CHECK_THROWS_AS(keys.read(file), summand::UsageError);
}

TEST_CASE("a key is found by its secret alone") {
  Keys keys;
  CHECK(keys.empty());
  keys.add("one", "secret-one");
  keys.add("other", "secret-other");
  REQUIRE(keys.find("Bearer secret-one"));
  CHECK(keys.find("Bearer secret-one")->name() == "one");
  CHECK(keys.find("bEARER secret-other")->name() == "other");
  for (const char* const wrong : {"", "Bearer ", "Bearer secret-on", "Bearer secret-one ", "Bearer  secret-one",
                                  "Basic secret-one", "secret-one", "Bearersecret-one"}) {
    CHECK_MESSAGE(keys.find(wrong) == nullptr, wrong);
  }
}

TEST_CASE("a file of keys") {
  const summand::text::TemporaryDirectory directory;
  const auto file = directory.path() / "keys";
  const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
  write("# people\n\nalice alice-secret requests=60 tokens=6000\n  bob   bob-secret\n");
  Keys keys;
  keys.read(file);
  CHECK(keys.find("Bearer alice-secret")->name() == "alice");
  CHECK(keys.find("Bearer bob-secret")->name() == "bob");
  for (const char* const wrong : {"alone\n", "a short\n", "a a-secret-key requests=\n", "a a-secret-key requests=-1\n",
                                  "a a-secret-key words=3\n", "a a-secret-key 3\n", "a same-secret\nb same-secret\n"}) {
    write(wrong);
    Keys none;
    CHECK_THROWS_AS_MESSAGE(none.read(file), summand::UsageError, wrong);
  }
}

TEST_CASE("an allowance fills up evenly and holds a minute's worth") {
  const auto start = Allowance::Clock::now();
  Allowance allowance(60.0);
  for (int i = 0; i < 60; ++i) CHECK_FALSE(allowance.take(1, start));
  const auto wait = allowance.take(1, start);
  REQUIRE(wait);
  CHECK(*wait == doctest::Approx(1));
  CHECK_FALSE(allowance.take(1, start + 1s));
  CHECK(allowance.take(1, start + 1s));
  CHECK_FALSE(allowance.take(60, start + 1h));
  CHECK(allowance.take(1, start + 1h));
  CHECK_FALSE(allowance.take(1'000, start + 2h));  // more than it ever holds: all of it
  Allowance unlimited(std::nullopt);
  CHECK_FALSE(unlimited.take(1e12, start));
}
