#pragma once

#include <cstddef>

#include "engine/kernels/number_formats.hpp"

namespace summand::engine::simd {

/// Writes a vector of floats, or as many as are left, where a product's output goes.
/// @tparam Format  of 16 bits; has store(Half* to, size_t count, V values): the first `count`, rounded
template <class Format, class V>
[[gnu::always_inline]] inline void store_to(const Destination& out, size_t row, size_t column, size_t left, V values) {
  const size_t at = row * out.stride + column;
  const size_t count = left < V::kWidth ? left : V::kWidth;
  if (out.rounded != nullptr) return Format::store(out.rounded + at, count, values);
  if (count == V::kWidth) return values.store(out.floats + at);
  values.store_first(out.floats + at, count);
}

}  // namespace summand::engine::simd
