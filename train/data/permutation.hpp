#pragma once

#include <array>
#include <cstdint>

#include "base/random_stream.hpp"

namespace summand::train {

/// A permutation of 0 … count - 1 in constant memory: a Feistel network over the next power of 4, applied repeatedly
/// until the result is below the count. Source: Black & Rogaway 2002, "Ciphers with arbitrary finite domains", sections
/// 4 (cycle walking) and 5
class Permutation {
 public:
  /// @param count  at least 1
  Permutation(uint64_t count, RandomStream stream);

  /// @param index  below the count
  /// @return below the count; different for every index
  [[nodiscard]] uint64_t at(uint64_t index) const;

 private:
  [[nodiscard]] uint64_t shuffled(uint64_t number) const;

  uint64_t count_;
  int half_bits_ = 1;
  std::array<uint32_t, 8> keys_{};
};

}  // namespace summand::train
