#include "train/data/permutation.hpp"

namespace summand::train {

Permutation::Permutation(uint64_t count, RandomStream stream) : count_(count) {
  while (half_bits_ < 32 && (uint64_t{1} << (2 * half_bits_)) < count) ++half_bits_;
  for (uint32_t& key : keys_) key = static_cast<uint32_t>(stream.bits());
}

uint64_t Permutation::at(uint64_t index) const {
  uint64_t number = shuffled(index);
  while (number >= count_) number = shuffled(number);
  return number;
}

uint64_t Permutation::shuffled(uint64_t number) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = number >> half_bits_;
  uint64_t right = number & mask;
  for (const uint32_t key : keys_) {
    const uint64_t mixed = philox({static_cast<uint32_t>(right), 0, 0, 0}, {key, 0})[0];
    const uint64_t next = left ^ (mixed & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace summand::train
