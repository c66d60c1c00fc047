#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/kernels/number_formats.hpp"

namespace summand::test {

/// The sum of two floats rounded to odd: cut off, and the last bit set where anything was lost. Denormals count as
/// zeros. Source: Arm Architecture Reference Manual for A-profile, shared pseudocode, FPRound with FPRounding_ODD
inline float add_to_odd(float a, float b) {
  const auto flushed = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; };
  a = flushed(a);
  b = flushed(b);
  const double wide_a = a;
  const double wide_b = b;
  const double sum = wide_a + wide_b;
  // What the double lost (Knuth's two-sum).
  const double part = sum - wide_a;
  const double lost = (wide_a - (sum - part)) + (wide_b - part);
  auto cut = static_cast<float>(sum);
  if (!std::isfinite(sum) || sum == 0) return cut;
  if (std::isinf(cut)) cut = std::copysign(0x1.fffffep127F, cut);  // cutting off never leaves the range
  const bool beyond = std::abs(static_cast<double>(cut)) > std::abs(sum) ||
                      (static_cast<double>(cut) == sum && lost != 0 && std::signbit(lost) != std::signbit(sum));
  if (beyond) cut = std::nextafter(cut, 0.0F);
  if (static_cast<double>(cut) != sum || lost != 0) cut = std::bit_cast<float>(std::bit_cast<uint32_t>(cut) | 1U);
  return flushed(cut);
}

/// Products of small matrices in plain C++, with the members of engine::arm::MatrixInstructions.
struct MatrixModel {
  struct Word {
    unsigned char bytes[16] = {};
  };
  struct FloatSums {
    float lanes[4] = {};
  };
  struct IntegerSums {
    int32_t lanes[4] = {};
  };

  static Word load(const void* from) {
    Word word;
    std::memcpy(word.bytes, from, sizeof word.bytes);
    return word;
  }
  static Word two(const void* first, const void* second) {
    Word word;
    std::memcpy(word.bytes, first, 8);
    std::memcpy(word.bytes + 8, second, 8);
    return word;
  }
  /// BFMMLA without FEAT_EBF16: of each pair both products, which are exact, are added, and their sum to the total,
  /// each rounded to odd. Source: Arm Architecture Reference Manual for A-profile, shared pseudocode, BFMatMulAdd and
  /// BFDotAdd
  static FloatSums bfmmla(FloatSums sums, const Word& rows, const Word& columns) {
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        float& total = sums.lanes[2 * i + j];
        for (size_t pair = 0; pair < 4; pair += 2) {
          const float first = number(rows, 4 * i + pair) * number(columns, 4 * j + pair);
          const float second = number(rows, 4 * i + pair + 1) * number(columns, 4 * j + pair + 1);
          total = add_to_odd(total, add_to_odd(first, second));
        }
      }
    }
    return sums;
  }
  /// USMMLA. Source: the same, MatMulAdd
  static IntegerSums usmmla(IntegerSums sums, const Word& rows, const Word& columns) {
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        for (size_t k = 0; k < 8; ++k) {
          sums.lanes[2 * i + j] += int32_t{rows.bytes[8 * i + k]} * static_cast<int8_t>(columns.bytes[8 * j + k]);
        }
      }
    }
    return sums;
  }
  static void store(const FloatSums& sums, float* to) { std::memcpy(to, sums.lanes, sizeof sums.lanes); }
  static void store(const IntegerSums& sums, int32_t* to) { std::memcpy(to, sums.lanes, sizeof sums.lanes); }

 private:
  static float number(const Word& word, size_t index) {
    engine::Half half;
    std::memcpy(&half, word.bytes + 2 * index, sizeof half);
    const float value = float_of_bf16(half);
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
  }
};

}  // namespace summand::test
