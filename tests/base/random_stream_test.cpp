#include "base/random_stream.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

using summand::philox;
using summand::RandomStream;

TEST_CASE("philox gives the known answers of its authors") {
  using Block = std::array<uint32_t, 4>;
  // Source: Random123 1.14, tests/kat_vectors, philox4x32 10
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Block{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  constexpr uint32_t kAll = 0xFFFFFFFF;
  CHECK(philox({kAll, kAll, kAll, kAll}, {kAll, kAll}) == Block{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  CHECK(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}) ==
        Block{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("a stream depends on its seed and its name alone") {
  const auto first_of = [](uint64_t seed, const std::string& name) {
    RandomStream stream(seed, name);
    std::vector<uint64_t> numbers(5);
    std::ranges::generate(numbers, [&] { return stream.bits(); });
    return numbers;
  };
  CHECK(first_of(1, "a") == first_of(1, "a"));
  CHECK(first_of(1, "a") != first_of(2, "a"));
  CHECK(first_of(1, "a") != first_of(1, "b"));
  CHECK(first_of(1, "a") != first_of(uint64_t{1} << 32, "a"));
  // As it always was: numbers that were published came from such streams.
  CHECK(first_of(1, "a")[0] == 0x2599BCD97EC8A17F);
  CHECK(first_of(7, "white noise 3")[0] == 0x2595DD4A1609E2F8);
}

TEST_CASE("numbers have the moments of their law") {
  constexpr int kDraws = 200'000;
  RandomStream stream(7, "moments");
  std::array<double, 4> normal{};
  double uniform = 0;
  double uniform_square = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform();
    CHECK((u >= 0 && u < 1));
    uniform += u;
    uniform_square += u * u;
    const double z = stream.normal();
    for (int power = 0; power < 4; ++power) normal[static_cast<size_t>(power)] += std::pow(z, power + 1);
  }
  // Five standard errors of each mean.
  const double error = 5 / std::sqrt(kDraws);
  CHECK(std::abs(uniform / kDraws - 0.5) < error * std::sqrt(1.0 / 12));
  CHECK(std::abs(uniform_square / kDraws - 1.0 / 3) < error * std::sqrt(4.0 / 45));
  CHECK(std::abs(normal[0] / kDraws) < error);
  CHECK(std::abs(normal[1] / kDraws - 1) < error * std::sqrt(2.0));
  CHECK(std::abs(normal[2] / kDraws) < error * std::sqrt(15.0));
  CHECK(std::abs(normal[3] / kDraws - 3) < error * std::sqrt(96.0));
}

TEST_CASE("places below a bound are equally likely, and a shuffle is a permutation") {
  RandomStream stream(7, "below");
  constexpr int kDraws = 70'000;
  std::array<int, 7> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[stream.below(counts.size())];
  for (const int count : counts) CHECK(std::abs(count - kDraws / 7) < 5 * 93);  // standard deviation 92.6
  CHECK(stream.below(1) == 0);
  CHECK(stream.below(size_t{1} << 63) < size_t{1} << 63);

  std::vector<int> items(50);
  std::iota(items.begin(), items.end(), 0);
  const auto before = items;
  stream.shuffle(std::span(items));
  CHECK(items != before);
  CHECK(std::set(items.begin(), items.end()).size() == 50);
}
