#include "engine/low_precision_kernels.hpp"
#include "engine/simd/coarse_math.hpp"
#include "engine/simd/destination.hpp"
#include "engine/simd/floats_avx512.hpp"
#include "engine/simd/product_kernel.hpp"
#include "engine/simd/row_kernels.hpp"

namespace summand::engine::avx512_vnni {

namespace {

struct Isa;
using Floats = simd::Floats16<Isa>;

__m512i load_integers(const void* from) {
  return _mm512_loadu_si512(from);
}

/// The nearest bf16 of each float, by integer arithmetic: this instruction set has no instruction for it.
struct Rounding {
  static __m256i round(Floats values) {
    const __m512i bits = _mm512_castps_si512(values.lanes);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __mmask16 no_number = _mm512_cmp_ps_mask(values.lanes, values.lanes, _CMP_UNORD_Q);
    const __m512i quiet = _mm512_mask_or_epi32(rounded, no_number, bits, _mm512_set1_epi32(0x00400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(quiet, 16));
  }
};

/// Rows of unsigned bytes times panels of signed ones, summed exactly.
struct Int8Product {
  using Task = Int8ProductTask;
  using Total = __m512i;
  static constexpr size_t kPerStep = kBytesPerStep;

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static __m512i weights(const int8_t* from) { return load_integers(from); }
  static __m512i same(const uint8_t* from) {
    int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    return _mm512_set1_epi32(four);
  }
  static Total start(const Task&, size_t) { return _mm512_setzero_si512(); }
  static Total add(Total total, __m512i value, __m512i weight) { return _mm512_dpbusd_epi32(total, value, weight); }
  static Floats finish(const Task& task, size_t row, size_t column, Total total) {
    const RowCode code = task.codes[row];
    const __m512i shift = _mm512_mullo_epi32(load_integers(task.column_sums + column), _mm512_set1_epi32(code.zero));
    const Floats sum{_mm512_cvtepi32_ps(_mm512_sub_epi32(total, shift))};
    const Floats scale = Floats::load(task.column_scales + column) * Floats::all(code.scale);
    return fused(sum, scale, Floats::load(task.bias + column));
  }
  static void store(const Task& task, size_t row, size_t column, Floats values) {
    simd::store_to<Rounding>(task.out, row, column, task.columns - column, values);
  }
};

/// The smallest and the largest value of a row, zero included, and zero, or not a number if one of them is none.
struct RowRange {
  float smallest;
  float largest;
  float poison;
};

RowRange range_of(const float* values, size_t columns) {
  Floats smallest = Floats::zero();
  Floats largest = Floats::zero();
  Floats poison = Floats::zero();
  simd::for_each_vector<Floats>(columns, [&](size_t first, size_t count) {
    const Floats value = simd::load_up_to<Floats>(values + first, count);
    smallest = min(value, smallest);
    largest = max(value, largest);
    poison = fused(value, Floats::zero(), poison);
  });
  return {_mm512_reduce_min_ps(smallest.lanes), largest.largest(), poison.sum()};
}

void quantise_row(const QuantiseTask& task, size_t row) {
  const float* const values = task.values + row * task.stride;
  uint8_t* const out = task.out + row * task.out_stride;
  const RowRange range = range_of(values, task.columns);
  const RowCode code = code_of_range(range.smallest, range.largest, range.poison);
  task.codes[row] = code;
  const Floats inverse = Floats::all(1.0F / code.scale);
  const __m512i zero = _mm512_set1_epi32(code.zero);
  simd::for_each_vector<Floats>(task.columns, [&](size_t first, size_t count) {
    const Floats scaled = simd::load_up_to<Floats>(values + first, count) * inverse;
    const __m512i shifted = _mm512_add_epi32(_mm512_cvtps_epi32(scaled.lanes), zero);
    const __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_max_epi32(shifted, _mm512_setzero_si512()));
    _mm_mask_storeu_epi8(out + first, Floats::mask(count), bytes);
  });
  for (size_t i = task.columns; i % kBytesPerStep != 0; ++i) out[i] = 0;
}

void quantise(const QuantiseTask& task) {
  for (size_t row = 0; row < task.row_count; ++row) quantise_row(task, row);
}

}  // namespace

const Int8Kernels kInt8Kernels{simd::product<Int8Product, Floats, 8, 3>, quantise, simd::coarsely_activate<Floats>};

}  // namespace summand::engine::avx512_vnni
