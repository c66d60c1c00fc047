#include "train/network/attention_loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "train/network/instruction_sets.hpp"

namespace summand::train {

namespace {

/// e^x to 2 units in the last place, for x up to 1; 0 below −87.
/// Source: Moshier, Cephes, expf.c: Cody and Waite's reduction and a minimax polynomial of degree 5
[[gnu::always_inline]] inline float exponential(float x) {
  constexpr float kLeast = -87;
  constexpr float kRounding = 12582912;  // 1.5 · 2^23: adding it rounds to an integer, which stands in the last bits
  const float bounded = std::max(x, kLeast);
  const float shifted = bounded * 1.44269504F + kRounding;
  const float power = shifted - kRounding;
  const float rest = (bounded - power * 0.693359375F) + power * 2.12194440e-4F;
  float sum = 1.9875691500e-4F;
  sum = sum * rest + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * rest * rest + rest + 1;
  const float result = sum * std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) + 127U) << 23U);
  return x < kLeast ? 0 : result;
}
[[gnu::always_inline]] inline double exponential(double x) {
  return std::exp(x);
}

template <class Scalar>
[[gnu::always_inline]] inline Scalar softmax(Scalar* row, int64_t n) {
  Scalar largest = row[0];
#pragma omp simd reduction(max : largest)
  for (int64_t j = 0; j < n; ++j) largest = largest < row[j] ? row[j] : largest;
  Scalar sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < n; ++j) {
    row[j] = exponential(row[j] - largest);
    sum += row[j];
  }
  const Scalar inverse = 1 / sum;
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) row[j] *= inverse;
  return largest + std::log(sum);
}

template <class Scalar>
[[gnu::always_inline]] inline void weights(Scalar* row, int64_t n, Scalar log_sum) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) row[j] = exponential(row[j] - log_sum);
}

/// Calls with the index of each column. Two loops, of which the first reads no indices.
template <class Each>
[[gnu::always_inline]] inline void for_columns(int64_t n, const int32_t* columns, const Each& each) {
  if (columns == nullptr) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) each(j, static_cast<int32_t>(j));
  } else {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) each(j, columns[j]);
  }
}

template <class Scalar>
[[gnu::always_inline]] inline void drop(const Scalar* from, Scalar* to, int64_t n, DropoutMask mask, uint32_t first,
                                        const int32_t* columns) {
  for_columns(
      n, columns, [=](int64_t j, int32_t column) __attribute__((always_inline)) {
        to[j] = from[j] * mask.factor(first + static_cast<uint32_t>(column));
      });
}

template <class Scalar>
[[gnu::always_inline]] inline Scalar undrop(Scalar* gradient, const Scalar* weights, int64_t n, DropoutMask mask,
                                            uint32_t first, const int32_t* columns) {
  if (!mask.keeps_all()) drop(gradient, gradient, n, mask, first, columns);
  Scalar sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < n; ++j) sum += gradient[j] * weights[j];
  return sum;
}

template <class Scalar>
[[gnu::always_inline]] inline void score_gradient(Scalar* gradient, const Scalar* weights, int64_t n, Scalar mean) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) gradient[j] = weights[j] * (gradient[j] - mean);
}

template <class Scalar>
[[gnu::always_inline]] inline void take(Scalar* to, const Scalar* from, int64_t n, const int32_t* columns) {
  for_columns(
      n, columns, [=](int64_t j, int32_t column) __attribute__((always_inline)) { to[j] = from[column]; });
}

template <class Scalar>
[[gnu::always_inline]] inline void add(Scalar* to, const Scalar* from, int64_t n, const int32_t* columns) {
  for_columns(
      n, columns, [=](int64_t j, int32_t column) __attribute__((always_inline)) { to[j] += from[column]; });
}

template <class Scalar>
[[gnu::always_inline]] inline void collect(Scalar* to, const Scalar* from, int64_t n, const int32_t* columns) {
  if (columns == nullptr) return add(to, from, n, nullptr);
  for (int64_t j = 0; j < n; ++j) to[columns[j]] += from[j];  // several may be the same
}

template <class Scalar>
[[gnu::always_inline]] inline void hide(Scalar* row, int64_t n, const int32_t* columns, int32_t largest) {
  for_columns(
      n, columns, [=](int64_t j, int32_t column) __attribute__((always_inline)) {
        row[j] = column > largest ? -std::numeric_limits<Scalar>::infinity() : row[j];
      });
}

}  // namespace

SUMMAND_FOR_INSTRUCTION_SETS
float softmax_row(float* row, int64_t n) {
  return softmax(row, n);
}
double softmax_row(double* row, int64_t n) {
  return softmax(row, n);
}

SUMMAND_FOR_INSTRUCTION_SETS
void weights_row(float* row, int64_t n, float log_sum) {
  weights(row, n, log_sum);
}
void weights_row(double* row, int64_t n, double log_sum) {
  weights(row, n, log_sum);
}

SUMMAND_FOR_INSTRUCTION_SETS
void drop_row(const float* from, float* to, int64_t n, const DropoutMask& mask, uint32_t first,
              const int32_t* columns) {
  drop(from, to, n, mask, first, columns);
}
void drop_row(const double* from, double* to, int64_t n, const DropoutMask& mask, uint32_t first,
              const int32_t* columns) {
  drop(from, to, n, mask, first, columns);
}

SUMMAND_FOR_INSTRUCTION_SETS
float undrop_row(float* gradient, const float* weights, int64_t n, const DropoutMask& mask, uint32_t first,
                 const int32_t* columns) {
  return undrop(gradient, weights, n, mask, first, columns);
}
double undrop_row(double* gradient, const double* weights, int64_t n, const DropoutMask& mask, uint32_t first,
                  const int32_t* columns) {
  return undrop(gradient, weights, n, mask, first, columns);
}

SUMMAND_FOR_INSTRUCTION_SETS
void score_gradient_row(float* gradient, const float* weights, int64_t n, float mean) {
  score_gradient(gradient, weights, n, mean);
}
void score_gradient_row(double* gradient, const double* weights, int64_t n, double mean) {
  score_gradient(gradient, weights, n, mean);
}

SUMMAND_FOR_INSTRUCTION_SETS
void take_columns(float* to, const float* from, int64_t n, const int32_t* columns) {
  take(to, from, n, columns);
}
void take_columns(double* to, const double* from, int64_t n, const int32_t* columns) {
  take(to, from, n, columns);
}

SUMMAND_FOR_INSTRUCTION_SETS
void add_columns(float* to, const float* from, int64_t n, const int32_t* columns) {
  add(to, from, n, columns);
}
void add_columns(double* to, const double* from, int64_t n, const int32_t* columns) {
  add(to, from, n, columns);
}

SUMMAND_FOR_INSTRUCTION_SETS
void collect_columns(float* to, const float* from, int64_t n, const int32_t* columns) {
  collect(to, from, n, columns);
}
void collect_columns(double* to, const double* from, int64_t n, const int32_t* columns) {
  collect(to, from, n, columns);
}

SUMMAND_FOR_INSTRUCTION_SETS
void hide_columns(float* row, int64_t n, const int32_t* columns, int32_t largest) {
  hide(row, n, columns, largest);
}
void hide_columns(double* row, int64_t n, const int32_t* columns, int32_t largest) {
  hide(row, n, columns, largest);
}

}  // namespace summand::train
