#pragma once

#include <array>
#include <cstddef>

namespace summand::engine::simd {

/// c[0] + c[1]·x + … + c[n-1]·x^(n-1).
template <class V, size_t n>
V polynomial(const float (&coefficients)[n], V x) {
  V total = V::all(coefficients[n - 1]);
  for (size_t i = n - 1; i-- > 0;) total = fused(total, x, V::all(coefficients[i]));
  return total;
}

/// e^x to 2 units in the last place; 0 below -104, infinity above 89, NaN for NaN.
/// x = n·ln 2 + r; e^r = 1 + r + r²·q(r) with q fitted on |r| ≤ ln 2 / 2, relative error 1e-8.
template <class V>
V exponential(V x) {
  constexpr float kLog2E = 1.44269504089F;
  constexpr float kLn2High = 0x1.62e4p-1F;  // eleven bits, so that n times it is exact
  constexpr float kLn2Low = 0x1.7f7d1cp-20F;
  static constexpr float kFit[] = {0.5F, 0.166665733819F, 0.0416665501103F, 0.00836377387441F, 0.0013926926614F};
  const V clamped = min(V::all(89.0F), max(V::all(-104.0F), x));
  const V n = nearest(clamped * V::all(kLog2E));
  const V r = fused_less(n, V::all(kLn2Low), fused_less(n, V::all(kLn2High), clamped));
  const V power = fused(r * r, polynomial(kFit, r), r) + V::all(1.0F);
  return times_power_of_two(power, n);
}

/// x·Φ(x), Φ the normal distribution (Hendrycks & Gimpel 2016), to 6e-8 absolute for x < 0 and 2 units in the last
/// place for x > 0. With a = |x|: max(x, 0) - a·Φ(-a), and Φ(-a) = exp(-a²/2)·m(z), z = 1/(1 + 0.375·a), as Abramowitz
/// & Stegun 7.1.26 do; m fitted on 0 ≤ a ≤ 6, weighted by a·exp(-a²/2), where it leaves an error of 1.2e-9.
template <class V>
V gelu(V x) {
  static constexpr float kTail[] = {0.001908942051F, 0.1277321473F,  0.2558851495F, -0.1524008158F,
                                    0.5107020759F,   -0.3017056705F, 0.05787820396F};
  static constexpr float kPower[] = {
      1.0F, 0.693147188F, 0.2402265076F, 0.05550357114F, 0.009618082557F, 0.001339086336F, 0.0001545316295F};
  constexpr float kHalfLog2E = 0.72134752044F;
  const V a = min(V::all(8.0F), magnitude(x));  // a·Φ(-a) is below 1e-14 from there on
  const V z = V::all(1.0F) / fused(V::all(0.375F), a, V::all(1.0F));
  const V exponent = a * V::all(-kHalfLog2E) * a;
  const V n = nearest(exponent);
  const V density = times_power_of_two(polynomial(kPower, exponent - n), n);
  return fused_less(a * density, polynomial(kTail, z), max(V::zero(), x));
}

/// x / (1 + e^-x) (Elfwing et al. 2018).
template <class V>
V silu(V x) {
  return x / (V::all(1.0F) + exponential(V::zero() - x));
}

/// x·(1 + tanh y)/2 with y = √(2/π)·(x + 0.044715·x³), which is x / (1 + e^-2y).
template <class V>
V gelu_tanh(V x) {
  constexpr float kTwiceRootTwoOverPi = 1.5957691216057308F;
  const V cubic = fused(V::all(0.044715F) * x * x, x, x);
  return x / (V::all(1.0F) + exponential(cubic * V::all(-kTwiceRootTwoOverPi)));
}

/// To 3 units in the last place. Up to 0.625 x + x³·p(x²), fitted, relative error 1.6e-8; above 1 - 2/(e^2|x| + 1).
template <class V>
V hyperbolic_tangent(V x) {
  static constexpr float kFit[] = {-0.333333287365F, 0.133327489071F, -0.0538477576978F, 0.0209822975921F,
                                   -0.00607516658957F};
  const V a = magnitude(x);
  const V square = x * x;
  const V small = fused(polynomial(kFit, square) * square, x, x);
  const V large = V::all(1.0F) - V::all(2.0F) / (exponential(a + a) + V::all(1.0F));
  return where_less(a, V::all(0.625F), small, with_sign_of(x, large));
}

}  // namespace summand::engine::simd
