#pragma once

#include <cstddef>

#include "engine/kernels/simd/row_kernels.hpp"
#include "engine/kernels/simd/vector_math.hpp"

namespace summand::engine::simd {

// Functions whose results are rounded to bf16 or to a byte next: errors far below that rounding, at half the price.

inline constexpr float kLog2E = 1.44269504089F;

/// 2^x for x ≤ 0, relative error 2.6e-6; NaN for NaN. A polynomial fitted on |x - n| ≤ 1/2, n the nearest integer.
template <class V>
V coarse_power_of_two(V x) {
  static constexpr float kFit[] = {0.99999928474F, 0.69312179089F, 0.24024745822F, 0.05591789261F, 0.00957007613F};
  const V clamped = max(V::all(-150.0F), x);
  const V n = nearest(clamped);
  return times_power_of_two(polynomial(kFit, clamped - n), n);
}

/// x·Φ(x) to 8.5e-5 absolute: Φ(x) = 1/2 + x·p(x²), fitted where |x| ≤ 4.2, and 0 or 1 beyond.
template <class V>
V coarse_gelu(V x) {
  constexpr float kEnd = 4.2F;
  static constexpr float kFit[] = {0.398465902F,   -0.0655282512F,   0.0092982538F,   -0.000950663351F,
                                   6.6891429e-05F, -3.03798151e-06F, 7.94151376e-08F, -9.01777597e-10F};
  const V inside = max(V::all(-kEnd), min(V::all(kEnd), x));
  const V share = fused(inside, polynomial(kFit, inside * inside), V::all(0.5F));
  return where_less(x, V::all(-kEnd), V::zero(), x * share);
}

/// Calls use(function) with the activation as a function of vectors, for results that are rounded next.
template <class V, class Use>
void with_coarse_activation(model::Activation activation, Use use) {
  if (activation == model::Activation::gelu) return use([](V x) { return coarse_gelu(x); });
  with_activation<V>(activation, use);
}

template <class V>
void coarsely_activate(model::Activation activation, const ActivateTask& task) {
  with_coarse_activation<V>(activation, [&](auto function) { for_each_value<V>(task, function); });
}

}  // namespace summand::engine::simd
