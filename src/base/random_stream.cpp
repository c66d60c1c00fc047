#include "base/random_stream.hpp"

#include <cmath>
#include <numbers>

namespace summand {

namespace {

constexpr int kRounds = 10;
constexpr std::array<uint32_t, 2> kMultipliers{0xD2511F53, 0xCD9E8D57};
constexpr std::array<uint32_t, 2> kKeySteps{0x9E3779B9, 0xBB67AE85};

constexpr uint32_t low(uint64_t number) {
  return static_cast<uint32_t>(number);
}
constexpr uint32_t high(uint64_t number) {
  return static_cast<uint32_t>(number >> 32);
}

/// FNV-1a of the name's length and bytes. Fixed: another hash would change every stream's numbers.
/// Source: draft-eastlake-fnv, section 4
uint64_t number_of(std::string_view name) {
  uint64_t number = 0xCBF29CE484222325ULL;
  const auto step = [&](unsigned char byte) { number = (number ^ byte) * 0x100000001B3ULL; };
  for (size_t byte = 0; byte < sizeof(uint64_t); ++byte) step(static_cast<unsigned char>(name.size() >> (8 * byte)));
  for (const char c : name) step(static_cast<unsigned char>(c));
  return number;
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t first = uint64_t{kMultipliers[0]} * counter[0];
    const uint64_t second = uint64_t{kMultipliers[1]} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1], low(first)};
    key = {key[0] + kKeySteps[0], key[1] + kKeySteps[1]};
  }
  return counter;
}

RandomStream::RandomStream(uint64_t seed, std::string_view name)
    : key_{low(seed), high(seed)}, name_(number_of(name)) {}

uint64_t RandomStream::bits() {
  if (left_ == 0) {
    const auto block = philox({low(blocks_), high(blocks_), low(name_), high(name_)}, key_);
    ready_ = {uint64_t{block[1]} << 32 | block[0], uint64_t{block[3]} << 32 | block[2]};
    ++blocks_;
    left_ = 2;
  }
  return ready_[static_cast<size_t>(2 - left_--)];
}

double RandomStream::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double RandomStream::normal() {
  if (has_second_normal_) {
    has_second_normal_ = false;
    return second_normal_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - uniform() is never 0
  const double angle = 2 * std::numbers::pi * uniform();
  second_normal_ = radius * std::sin(angle);
  has_second_normal_ = true;
  return radius * std::cos(angle);
}

size_t RandomStream::below(size_t bound) {
  const uint64_t size = bound;
  auto product = static_cast<unsigned __int128>(bits()) * size;
  if (static_cast<uint64_t>(product) < size) {
    const uint64_t least = -size % size;
    while (static_cast<uint64_t>(product) < least) product = static_cast<unsigned __int128>(bits()) * size;
  }
  return static_cast<size_t>(product >> 64);
}

}  // namespace summand
