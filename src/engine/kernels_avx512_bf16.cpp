#include "engine/low_precision_kernels.hpp"
#include "engine/simd/coarse_math.hpp"
#include "engine/simd/destination.hpp"
#include "engine/simd/floats_avx512.hpp"
#include "engine/simd/product_kernel.hpp"
#include "engine/simd/row_kernels.hpp"

namespace summand::engine::avx512_bf16 {

namespace {

struct Isa;
using Floats = simd::Floats16<Isa>;

struct Rounding {
  static __m256i round(Floats values) {
    const __m256bh rounded = _mm512_cvtneps_pbh(values.lanes);
    return reinterpret_cast<const __m256i&>(rounded);
  }
};

void store_first(Bf16* to, size_t count, Floats values) {
  const __m256i rounded = Rounding::round(values);
  if (count == Floats::kWidth) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), rounded);
  _mm256_mask_storeu_epi16(to, Floats::mask(count), rounded);
}

/// Pairs of bf16, one pair per lane.
struct Pairs {
  __m512i lanes;
  operator __m512bh() const { return reinterpret_cast<const __m512bh&>(lanes); }
};

struct Bf16Product {
  using Task = Bf16ProductTask;
  using Total = Floats;
  static constexpr size_t kPerStep = kBf16PerStep;

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static __m512i weights(const Bf16* from) { return _mm512_loadu_si512(from); }
  static __m512i same(const Bf16* from) {
    int32_t pair;
    __builtin_memcpy(&pair, from, sizeof pair);
    return _mm512_set1_epi32(pair);
  }
  static Total start(const Task& task, size_t column) {
    return task.bias == nullptr ? Floats::zero() : Floats::load(task.bias + column);
  }
  static Total add(Total total, __m512i value, __m512i weight) {
    return {_mm512_dpbf16_ps(total.lanes, Pairs{value}, Pairs{weight})};
  }
  static Floats finish(const Task& task, size_t row, size_t, Total total) {
    return task.row_factors == nullptr ? total : total * Floats::all(task.row_factors[row]);
  }
  static void store(const Task& task, size_t row, size_t column, Floats values) {
    simd::store_to<Rounding>(task.out, row, column, task.columns - column, values);
  }
};

void round(const RoundTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const values = task.values + row * task.stride;
    Bf16* const out = task.out + row * task.out_stride;
    simd::for_each_vector<Floats>(task.columns, [&](size_t first, size_t count) {
      store_first(out + first, count, simd::load_up_to<Floats>(values + first, count));
    });
    if (task.columns % kBf16PerStep != 0) out[task.columns] = {};
  }
}

template <class Function>
void round_each(const ActivateRoundTask& task, Function function) {
  for (size_t row = 0; row < task.row_count; ++row) {
    const float* const values = task.values + row * task.stride;
    Bf16* const out = task.out + row * task.out_stride;
    simd::for_each_vector<Floats>(task.columns, [&](size_t first, size_t count) {
      store_first(out + first, count, function(simd::load_up_to<Floats>(values + first, count)));
    });
  }
}

void activate(model::Activation activation, const ActivateRoundTask& task) {
  simd::with_coarse_activation<Floats>(activation, [&](auto function) { round_each(task, function); });
}

void weigh_row(const WeighTask& task, size_t row) {
  float* const scores = task.scores + row * task.stride;
  Bf16* const weights = task.weights + row * task.weight_stride;
  const bool biased = task.biases != nullptr;
  const float largest = biased ? simd::add_biases<Floats>(scores, task.biases[row], task.length, task.scale)
                               : simd::largest_of<Floats>(scores, task.length, 1.0F);
  const Floats scale = Floats::all((biased ? 1.0F : task.scale) * simd::kLog2E);
  const Floats ceiling = Floats::all(largest) * scale;
  Floats total = Floats::zero();
  simd::for_each_vector<Floats>(task.length, [&](size_t first, size_t count) {
    const Floats weight = simd::coarse_power_of_two(simd::load_up_to<Floats>(scores + first, count) * scale - ceiling);
    store_first(weights + first, count, weight);
    total = total + (count == Floats::kWidth ? weight : weight.keep_first(count, Floats::zero()));
  });
  if (task.length % kBf16PerStep != 0) weights[task.length] = {};
  task.factors[row] = 1.0F / total.sum();
}

void weigh(const WeighTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) weigh_row(task, row);
}

/// Steps [first, first + 16) of up to 16 tokens, one token a row, become rows of a panel, one step a row.
void pack_key_block(const PackTask& task, size_t token, size_t first, Bf16* panel) {
  const size_t steps = (task.head_size + kBf16PerStep - 1) / kBf16PerStep;
  const size_t wanted = steps - first < 16 ? steps - first : 16;
  // Beyond an odd head's last number lies one of another part: the upper half of its step is cleared.
  const auto used =
      static_cast<__mmask32>((uint64_t{1} << (task.head_size - first * 2 < 32 ? task.head_size - first * 2 : 32)) - 1U);
  Floats rows[16];
#pragma GCC unroll 16
  for (size_t i = 0; i < 16; ++i) {
    const __m512i pairs = token + i < task.length
                              ? _mm512_maskz_loadu_epi16(used, task.rows + (token + i) * task.stride + first * 2)
                              : _mm512_setzero_si512();
    rows[i] = {_mm512_castsi512_ps(pairs)};
  }
  Floats::transpose(rows);
  for (size_t step = 0; step < wanted; ++step) {
    _mm512_storeu_si512(panel + (first + step) * 32, _mm512_castps_si512(rows[step].lanes));
  }
}

void pack_keys(const PackTask& task) {
  const size_t steps = (task.head_size + kBf16PerStep - 1) / kBf16PerStep;
  for (size_t token = 0; token < task.length; token += kPanelWidth) {
    Bf16* const panel = task.panels + token * steps * kBf16PerStep;
    for (size_t first = 0; first < steps; first += 16) pack_key_block(task, token, first, panel);
  }
}

void pack_values(const PackTask& task) {
  const size_t steps = (task.length + kBf16PerStep - 1) / kBf16PerStep;
  for (size_t column = 0; column < task.head_size; column += kPanelWidth) {
    Bf16* const panel = task.panels + column * steps * kBf16PerStep;
    const __mmask16 used = Floats::mask(task.head_size - column < 16 ? task.head_size - column : 16);
    const auto lanes = [&](size_t token) {
      return token < task.length
                 ? _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(used, task.rows + token * task.stride + column))
                 : _mm512_setzero_si512();
    };
    for (size_t step = 0; step < steps; ++step) {
      const __m512i both = _mm512_or_si512(lanes(2 * step), _mm512_slli_epi32(lanes(2 * step + 1), 16));
      _mm512_storeu_si512(panel + step * 2 * kPanelWidth, both);
    }
  }
}

}  // namespace

const Bf16Kernels kBf16Kernels{
    simd::product<Bf16Product, Floats, 8, 3>, round, activate, weigh, pack_keys, pack_values};

}  // namespace summand::engine::avx512_bf16
