#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/simd/vector_math.hpp"
#include "engine/kernels/single_precision.hpp"

namespace summand::engine::simd {

/// Calls body(vector, first, count) for every vector of a row: first the full ones, then the rest, if any, with fewer
/// lanes. Lane l of vector v is element v·width + l whatever the row's place in memory, so sums have a fixed order.
template <class V, class Body>
void for_each_vector(size_t width, Body&& body) {
  size_t first = 0;
  for (; first + V::kWidth <= width; first += V::kWidth) body(first, V::kWidth);
  if (first < width) body(first, width - first);
}

template <class V>
V load_up_to(const float* from, size_t count) {
  return count == V::kWidth ? V::load(from) : V::load_first(from, count);
}

template <class V>
void store_up_to(V values, float* to, size_t count) {
  if (count == V::kWidth) return values.store(to);
  values.store_first(to, count);
}

/// @return 1/√(variance + ε), in double precision
template <class V>
float deviation_factor(const Normalisation& norm, V squares) {
  const double variance = static_cast<double>(squares.sum()) / static_cast<double>(norm.width);
  return static_cast<float>(1.0 / __builtin_sqrt(variance + norm.epsilon));
}

/// Rows that are normalised side by side: each has sums of its own, whose next step waits for the one before, and while
/// one waits the others go on.
inline constexpr size_t kRowsAtATime = 4;

/// Normalises `rows` rows in place, given the sums of their elements lane by lane.
template <class V, size_t rows>
void normalise_rows(const Normalisation& norm, const V (&totals)[rows], float* first_row, size_t stride) {
  V means[rows];
  V squares[rows];
#pragma GCC unroll 4
  for (size_t row = 0; row < rows; ++row) {
    means[row] = V::all(totals[row].sum() / static_cast<float>(norm.width));
    squares[row] = V::zero();
  }
  for_each_vector<V>(norm.width, [&](size_t first, size_t count) {
#pragma GCC unroll 4
    for (size_t row = 0; row < rows; ++row) {
      const V centred = load_up_to<V>(first_row + row * stride + first, count) - means[row];
      const V counted = count == V::kWidth ? centred : centred.keep_first(count, V::zero());
      squares[row] = fused(counted, counted, squares[row]);
    }
  });
  V factors[rows];
#pragma GCC unroll 4
  for (size_t row = 0; row < rows; ++row) factors[row] = V::all(deviation_factor(norm, squares[row]));
  for_each_vector<V>(norm.width, [&](size_t first, size_t count) {
    const V weight = load_up_to<V>(norm.weight + first, count);
    const V bias = load_up_to<V>(norm.bias + first, count);
#pragma GCC unroll 4
    for (size_t row = 0; row < rows; ++row) {
      float* const at = first_row + row * stride + first;
      const V standard = (load_up_to<V>(at, count) - means[row]) * factors[row];
      store_up_to(fused(standard, weight, bias), at, count);
    }
  });
}

/// The same for one row.
template <class V>
void normalise_row(const Normalisation& norm, V total, float* row) {
  const V totals[1] = {total};
  normalise_rows<V, 1>(norm, totals, row, 0);
}

template <class V, size_t rows>
void add_and_normalise(const Normalisation& norm, const NormaliseTask& task, size_t first_row) {
  const float* const values = task.values + first_row * task.value_stride;
  const float* const residual = task.residual == nullptr ? nullptr : task.residual + first_row * task.residual_stride;
  float* const out = task.out + first_row * task.out_stride;
  V totals[rows];
#pragma GCC unroll 4
  for (size_t row = 0; row < rows; ++row) totals[row] = V::zero();
  for_each_vector<V>(norm.width, [&](size_t first, size_t count) {
#pragma GCC unroll 4
    for (size_t row = 0; row < rows; ++row) {
      V value = load_up_to<V>(values + row * task.value_stride + first, count);
      if (residual != nullptr) value = value + load_up_to<V>(residual + row * task.residual_stride + first, count);
      store_up_to(value, out + row * task.out_stride + first, count);
      totals[row] = totals[row] + value;
    }
  });
  normalise_rows<V, rows>(norm, totals, out, task.out_stride);
}

template <class V>
void normalise(const Normalisation& norm, const NormaliseTask& task) {
  size_t row = 0;
  for (; row + kRowsAtATime <= task.row_count; row += kRowsAtATime) add_and_normalise<V, kRowsAtATime>(norm, task, row);
  for (; row < task.row_count; ++row) add_and_normalise<V, 1>(norm, task, row);
}

template <class V>
void embed(const Normalisation& norm, const EmbedTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const token = task.token_table + static_cast<size_t>(task.ids[row]) * norm.width;
    const float* const segment = task.segment_table + static_cast<size_t>(task.segments[row]) * norm.width;
    const float* const position = task.position_table == nullptr
                                      ? nullptr
                                      : task.position_table + static_cast<size_t>(task.positions[row]) * norm.width;
    float* const out = task.out + row * task.out_stride;
    V total = V::zero();
    for_each_vector<V>(norm.width, [&](size_t first, size_t count) {
      V value = load_up_to<V>(token + first, count) + load_up_to<V>(segment + first, count);
      if (position != nullptr) value = value + load_up_to<V>(position + first, count);
      store_up_to(value, out + first, count);
      total = total + value;
    });
    normalise_row<V>(norm, total, out);
  }
}

/// The largest of scale · values.
template <class V>
float largest_of(const float* values, size_t length, float scale) {
  const V lowest = V::all(-__builtin_inff());
  V largest = lowest;
  for_each_vector<V>(length, [&](size_t first, size_t count) {
    const V value = load_up_to<V>(values + first, count) * V::all(scale);
    largest = max(largest, count == V::kWidth ? value : value.keep_first(count, lowest));
  });
  return largest.largest();
}

/// values = scale · values + biases. @return the largest
template <class V>
float add_biases(float* values, const float* biases, size_t length, float scale) {
  const V lowest = V::all(-__builtin_inff());
  V largest = lowest;
  for_each_vector<V>(length, [&](size_t first, size_t count) {
    const V value = fused(load_up_to<V>(values + first, count), V::all(scale), load_up_to<V>(biases + first, count));
    store_up_to(value, values + first, count);
    largest = max(largest, count == V::kWidth ? value : value.keep_first(count, lowest));
  });
  return largest.largest();
}

/// @param biases  or null
template <class V>
void softmax_row(float* values, const float* biases, size_t length, float scale) {
  const float largest =
      biases == nullptr ? largest_of<V>(values, length, scale) : add_biases<V>(values, biases, length, scale);
  if (biases != nullptr) scale = 1;
  const V ceiling = V::all(largest);
  V total = V::zero();
  for_each_vector<V>(length, [&](size_t first, size_t count) {
    const V weight = exponential(load_up_to<V>(values + first, count) * V::all(scale) - ceiling);
    store_up_to(weight, values + first, count);
    total = total + (count == V::kWidth ? weight : weight.keep_first(count, V::zero()));
  });
  const V share = V::all(1.0F / total.sum());
  for_each_vector<V>(length, [&](size_t first, size_t count) {
    store_up_to(load_up_to<V>(values + first, count) * share, values + first, count);
  });
}

template <class V>
void softmax(const SoftmaxTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const biases = task.biases == nullptr ? nullptr : task.biases[row];
    softmax_row<V>(task.values + row * task.stride, biases, task.length, task.scale);
  }
}

template <class V, class Function>
void for_each_value(const ActivateTask& task, Function function) {
  for (size_t row = 0; row < task.row_count; ++row) {
    float* const values = task.values + row * task.stride;
    for_each_vector<V>(task.columns, [&](size_t first, size_t count) {
      store_up_to(function(load_up_to<V>(values + first, count)), values + first, count);
    });
  }
}

/// Calls use(function) with the activation as a function of vectors.
template <class V, class Use>
void with_activation(model::Activation activation, Use use) {
  switch (activation) {
    case model::Activation::gelu:
      return use([](V x) { return gelu(x); });
    case model::Activation::gelu_tanh:
      return use([](V x) { return gelu_tanh(x); });
    case model::Activation::relu:
      return use([](V x) { return max(V::zero(), x); });
    case model::Activation::silu:
      return use([](V x) { return silu(x); });
    case model::Activation::tanh:
      return use([](V x) { return hyperbolic_tangent(x); });
    case model::Activation::linear:
      return use([](V x) { return x; });
    case model::Activation::half:
      return use([](V x) { return V::all(0.5F) * x; });
  }
}

template <class V>
void activate(model::Activation activation, const ActivateTask& task) {
  with_activation<V>(activation, [&](auto function) { for_each_value<V>(task, function); });
}

}  // namespace summand::engine::simd
