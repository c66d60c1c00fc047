#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/kernels/number_formats.hpp"

namespace summand::test {

/// The nearest half of a number that a long double holds exactly, ties to even.
inline engine::Half nearest_half(long double value) {
  const long double magnitude = std::abs(value);
  if (magnitude == 0 || std::isnan(value) || std::isinf(value)) return engine::to_fp16(static_cast<float>(value));
  const int exponent = std::max(std::ilogb(magnitude), -14);  // below, steps are those of the smallest normal number
  const long double step = std::ldexp(1.0L, exponent - 10);
  return engine::to_fp16(static_cast<float>(std::nearbyint(value / step) * step));
}

/// VFMADD231PH in plain C++: a·b + c, rounded once. A product of halves has 22 bits and its sum with a half fits in the
/// 64 of a long double.
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, VFMADD231PH
inline engine::Half fused_halves(engine::Half a, engine::Half b, engine::Half c) {
  const auto wide = [](engine::Half half) { return static_cast<long double>(float_of_fp16(half)); };
  return nearest_half(wide(a) * wide(b) + wide(c));
}

/// Thirty-two halves, with the members of engine::avx512_fp16::Halves32.
struct PlainHalves {
  engine::Half lanes[32] = {};

  static PlainHalves zero() { return {}; }
  static PlainHalves load(const engine::Half* from) {
    PlainHalves made;
    std::copy_n(from, 32, made.lanes);
    return made;
  }
  static PlainHalves all_pairs(const engine::Half* from) {
    PlainHalves made;
    for (size_t i = 0; i < 32; ++i) made.lanes[i] = from[i % 2];
    return made;
  }
  friend PlainHalves fused(const PlainHalves& a, const PlainHalves& b, const PlainHalves& c) {
    PlainHalves made;
    for (size_t i = 0; i < 32; ++i) made.lanes[i] = fused_halves(a.lanes[i], b.lanes[i], c.lanes[i]);
    return made;
  }
};

template <class V>
V floats_from(const PlainHalves& halves, size_t first) {
  float values[16];
  std::transform(halves.lanes + first, halves.lanes + first + 16, values, engine::float_of_fp16);
  return V::load(values);
}
template <class V>
V lower_floats(const PlainHalves& halves) {
  return floats_from<V>(halves, 0);
}
template <class V>
V upper_floats(const PlainHalves& halves) {
  return floats_from<V>(halves, 16);
}

}  // namespace summand::test
