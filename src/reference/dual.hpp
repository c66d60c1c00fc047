#pragma once

#include <cmath>
#include <compare>

namespace summand::reference {

inline constexpr double kTwoOverRootPi = 1.1283791670955125739;

/// A dual number, value + derivative·ε with ε² = 0: forward-mode differentiation. Seed the derivative of one input with
/// 1 and every result carries its exact derivative by that input. Dual<Dual<double>> gives exact mixed second
/// derivatives: the ε₁ε₂ part is result.derivative.derivative. Source: Griewank & Walther, Evaluating Derivatives,
/// chapter 3.
template <class T>
struct Dual {
  T value{};
  T derivative{};

  Dual() = default;
  /// A constant. Explicit about nothing: numbers become constants wherever a formula needs one.
  Dual(double constant) : value(constant) {}  // NOLINT: implicit on purpose
  Dual(T of_value, T of_derivative) : value(of_value), derivative(of_derivative) {}

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.derivative + b.derivative}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.derivative - b.derivative}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }
  /// A weight is a plain number: a product with it needs two multiplications instead of three.
  friend Dual operator*(const Dual& a, double weight) { return {a.value * weight, a.derivative * weight}; }
  Dual& operator+=(const Dual& other) { return *this = *this + other; }

  /// Order is that of the values: what a maximum or a relu asks.
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }

  friend Dual exp(const Dual& x) {
    using std::exp;
    const T power = exp(x.value);
    return {power, power * x.derivative};
  }
  friend Dual sqrt(const Dual& x) {
    using std::sqrt;
    const T root = sqrt(x.value);
    return {root, x.derivative / (root + root)};
  }
  friend Dual tanh(const Dual& x) {
    using std::tanh;
    const T result = tanh(x.value);
    return {result, (T(1) - result * result) * x.derivative};
  }
  friend Dual erf(const Dual& x) {
    using std::erf;
    using std::exp;
    return {erf(x.value), exp(-(x.value * x.value)) * kTwoOverRootPi * x.derivative};
  }
};

/// to + from · weight: the innermost step of a dense layer.
template <class Scalar, class Real>
void add_weighted(Scalar& to, const Scalar& from, Real weight) {
  to = to + from * weight;
}

/// The plain number type of weights, under a scalar: float for float, double for everything built on double.
template <class Scalar>
struct RealOf {
  using Type = Scalar;
};
template <class T>
struct RealOf<Dual<T>> {
  using Type = typename RealOf<T>::Type;
};

}  // namespace summand::reference
