#pragma once

#include <cstddef>

#include "model/tensor.hpp"
#include "target.hpp"

namespace summand::fuzz {

/// Reads every byte that a tensor claims, so that a sanitizer sees those that are not its own.
inline void read_all(const model::Tensor& tensor) {
  expect(tensor.bytes.size() == tensor.elements() * model::size_of(tensor.dtype), "the bytes fit the shape");
  size_t sum = 0;
  for (const std::byte byte : tensor.bytes) sum += static_cast<size_t>(byte);
  expect(sum <= 255 * tensor.bytes.size(), "bytes are bytes");
  expect(model::to_floats(tensor).size() == tensor.elements(), "each element becomes a number");
}

}  // namespace summand::fuzz
