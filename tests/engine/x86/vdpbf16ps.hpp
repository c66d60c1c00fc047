#pragma once

#include <cmath>

#include "engine/kernels/number_formats.hpp"

namespace summand::test {

/// A number that is denormal as the zero of its sign.
inline float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

/// One lane of VDPBF16PS: total + a₁·b₁, rounded, + a₀·b₀, rounded; denormals count as zeros, going in and coming out.
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, VDPBF16PS, "Operation"
inline float vdpbf16ps(float total, const engine::Half (&a)[2], const engine::Half (&b)[2]) {
  for (const size_t i : {size_t{1}, size_t{0}}) {
    total = flushed(std::fma(flushed(float_of_bf16(a[i])), flushed(float_of_bf16(b[i])), flushed(total)));
  }
  return total;
}

}  // namespace summand::test
