#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/number_formats.hpp"

namespace summand::test {

/// Sixteen floats in plain C++: kernels over them run on every processor.
struct PlainVector {
  static constexpr size_t kWidth = 16;
  float lanes[kWidth] = {};

  static PlainVector zero() { return {}; }
  static PlainVector all(float value) {
    PlainVector made;
    std::fill_n(made.lanes, kWidth, value);
    return made;
  }
  static PlainVector load(const float* from) {
    PlainVector made;
    std::copy_n(from, kWidth, made.lanes);
    return made;
  }
  /// of - less · factor, in 32 bits, as floats
  static PlainVector of_integers_less(const int32_t* of, const int32_t* less, int32_t factor) {
    return from([&](size_t i) { return static_cast<float>(of[i] - less[i] * factor); });
  }
  void store(float* to) const { std::copy_n(lanes, kWidth, to); }
  void store_first(float* to, size_t count) const { std::copy_n(lanes, count, to); }

  friend PlainVector operator+(PlainVector a, PlainVector b) {
    return from([&](size_t i) { return a.lanes[i] + b.lanes[i]; });
  }
  friend PlainVector operator*(PlainVector a, PlainVector b) {
    return from([&](size_t i) { return a.lanes[i] * b.lanes[i]; });
  }
  friend PlainVector fused(PlainVector a, PlainVector b, PlainVector c) {
    return from([&](size_t i) { return std::fma(a.lanes[i], b.lanes[i], c.lanes[i]); });
  }
  friend PlainVector sums_of_pairs(PlainVector lower, PlainVector upper) {
    return from([&](size_t i) {
      const PlainVector& of = i < 8 ? lower : upper;
      return of.lanes[i % 8 * 2] + of.lanes[i % 8 * 2 + 1];
    });
  }

 private:
  template <class Lane>
  static PlainVector from(Lane lane) {
    PlainVector made;
    for (size_t i = 0; i < kWidth; ++i) made.lanes[i] = lane(i);
    return made;
  }
};

struct PlainBf16 {
  static void store(engine::Half* to, size_t count, const PlainVector& values) {
    std::transform(values.lanes, values.lanes + count, to, engine::to_bf16);
  }
};

}  // namespace summand::test
