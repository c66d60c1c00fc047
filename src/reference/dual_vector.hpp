#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "reference/dual.hpp"

namespace summand::reference {

/// A dual number with several derivatives at once, value + Σ derivatives[k]·ε_k with ε_i·ε_j = 0: one forward pass
/// gives the exact derivatives along Count directions. DualVector<DualVector<double, L>, K> gives Count × Count mixed
/// second derivatives: the ε_k δ_l part is result.derivatives[k].derivatives[l]. Source: Griewank & Walther, Evaluating
/// Derivatives, sections 3.2 (vector mode) and 13.
template <class T, size_t Count>
struct DualVector {
  T value{};
  std::array<T, Count> derivatives{};

  DualVector() = default;
  /// A constant, wherever a formula needs one.
  DualVector(double constant) : value(constant) {}  // NOLINT: implicit on purpose

  friend DualVector operator+(const DualVector& a, const DualVector& b) {
    DualVector sum;
    sum.value = a.value + b.value;
    for (size_t k = 0; k < Count; ++k) sum.derivatives[k] = a.derivatives[k] + b.derivatives[k];
    return sum;
  }
  friend DualVector operator-(const DualVector& a, const DualVector& b) {
    DualVector difference;
    difference.value = a.value - b.value;
    for (size_t k = 0; k < Count; ++k) difference.derivatives[k] = a.derivatives[k] - b.derivatives[k];
    return difference;
  }
  friend DualVector operator*(const DualVector& a, const DualVector& b) {
    DualVector product;
    product.value = a.value * b.value;
    for (size_t k = 0; k < Count; ++k) {
      product.derivatives[k] = a.derivatives[k] * b.value + a.value * b.derivatives[k];
    }
    return product;
  }
  friend DualVector operator/(const DualVector& a, const DualVector& b) {
    const T inverse = T(1) / b.value;
    DualVector quotient;
    quotient.value = a.value * inverse;
    for (size_t k = 0; k < Count; ++k) {
      quotient.derivatives[k] = (a.derivatives[k] - quotient.value * b.derivatives[k]) * inverse;
    }
    return quotient;
  }
  friend DualVector operator-(const DualVector& a) { return a * -1.0; }
  /// A weight is a plain number: one multiplication for each part.
  friend DualVector operator*(const DualVector& a, double weight) {
    DualVector product;
    product.value = a.value * weight;
    for (size_t k = 0; k < Count; ++k) product.derivatives[k] = a.derivatives[k] * weight;
    return product;
  }
  DualVector& operator+=(const DualVector& other) { return *this = *this + other; }

  /// Order is that of the values.
  friend bool operator<(const DualVector& a, const DualVector& b) { return a.value < b.value; }

  friend DualVector exp(const DualVector& x) {
    using std::exp;
    const T power = exp(x.value);
    return chained(x, power, power);
  }
  friend DualVector sqrt(const DualVector& x) {
    using std::sqrt;
    const T root = sqrt(x.value);
    return chained(x, root, T(0.5) / root);
  }
  friend DualVector tanh(const DualVector& x) {
    using std::tanh;
    const T result = tanh(x.value);
    return chained(x, result, T(1) - result * result);
  }
  friend DualVector erf(const DualVector& x) {
    using std::erf;
    using std::exp;
    return chained(x, erf(x.value), exp(-(x.value * x.value)) * kTwoOverRootPi);
  }
  friend DualVector log(const DualVector& x) {
    using std::log;
    return chained(x, log(x.value), T(1) / x.value);
  }

 private:
  /// @param slope  of the function at x
  static DualVector chained(const DualVector& x, const T& value, const T& slope) {
    DualVector result;
    result.value = value;
    for (size_t k = 0; k < Count; ++k) result.derivatives[k] = slope * x.derivatives[k];
    return result;
  }
};

/// to + from · weight in place, without a copy of its many parts.
template <class T, size_t Count>
void add_weighted(DualVector<T, Count>& to, const DualVector<T, Count>& from, double weight) {
  add_weighted(to.value, from.value, weight);
  for (size_t k = 0; k < Count; ++k) add_weighted(to.derivatives[k], from.derivatives[k], weight);
}

template <class T, size_t Count>
struct RealOf<DualVector<T, Count>> {
  using Type = typename RealOf<T>::Type;
};

/// Directions of each order that MixedDual carries.
inline constexpr size_t kMixedDirections = 8;
/// 8 × 8 mixed second derivatives in one forward pass.
using MixedDual = DualVector<DualVector<double, kMixedDirections>, kMixedDirections>;

}  // namespace summand::reference
