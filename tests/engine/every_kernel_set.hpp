#pragma once

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/kernels/kernel_set.hpp"

namespace summand::test {

/// Calls body(kernels) for every instruction set of this machine.
template <class Body>
void for_every_kernel_set(const Body& body) {
  for (const auto* const set : engine::available_kernel_sets()) {
    INFO("instruction set ", std::string(set->name));
    body(*set->single_precision);
  }
}

inline std::vector<float> random_floats(size_t count, uint32_t seed, float deviation = 1.0F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

}  // namespace summand::test
