#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace summand {

/// One block of a counter-based generator: the same four numbers for the same counter and key, on every machine.
/// Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", Philox4x32-10.
[[nodiscard]] std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Random numbers that depend only on a seed, a name and the index in the stream: adding or dropping one stream changes
/// no other.
class RandomStream {
 public:
  /// @param name  what is drawn: "white noise 3"
  RandomStream(uint64_t seed, std::string_view name);

  /// Uniform over all 2^64 numbers.
  [[nodiscard]] uint64_t bits();
  /// In [0, 1), a multiple of 2^-53.
  [[nodiscard]] double uniform();
  /// Normal, mean 0, variance 1. Source: Box & Muller 1958
  [[nodiscard]] double normal();
  /// Uniform in [0, bound). @param bound  at least 1. Source: Lemire 2019, "Fast random integer generation"
  [[nodiscard]] size_t below(size_t bound);

  /// A uniformly random order. Source: Fisher & Yates, in Durstenfeld 1964
  template <class T>
  void shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<uint32_t, 2> key_{};
  uint64_t name_ = 0;
  uint64_t blocks_ = 0;
  std::array<uint64_t, 2> ready_{};
  int left_ = 0;
  double second_normal_ = 0;
  bool has_second_normal_ = false;
};

}  // namespace summand
