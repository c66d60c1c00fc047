#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/destination.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/quantise.hpp"
#include "engine/kernels/simd/tile_endings.hpp"
#include "engine/kernels/x86/bf16_format_avx512.hpp"
#include "engine/kernels/x86/floats_avx512.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx512_vnni {

namespace {

struct Isa;
using Floats = simd::Floats16<Isa>;

constexpr PanelLayout kLayout{.per_step = 4, .depth_multiple = 4};

__m512i load_integers(const void* from) {
  return _mm512_loadu_si512(from);
}

/// Rows of unsigned bytes times panels of signed ones, summed exactly.
struct Int8Product {
  using Task = Int8ProductTask;
  using Total = __m512i;
  static constexpr size_t kPerStep = kLayout.per_step;
  static constexpr bool kFetchesAhead = true;

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
    const Floats sum = Floats::of_integers_less(total, task.column_sums + column, task.codes[row].zero);
    return simd::scaled_sum(task, row, column, sum);
  }
  static void store(const Task& task, size_t row, size_t column, size_t left, Floats values) {
    simd::store_to<avx512::Bf16ByIntegers<Floats>>(task.out, row, column, left, values);
  }
};

}  // namespace

void quantise(const QuantiseTask& task) {
  simd::quantise<Floats>(task);
}

const Int8Kernels kInt8Kernels{kLayout, simd::product<Int8Product, Floats, 8, 3>, quantise,
                               simd::coarsely_activate<Floats>};

}  // namespace summand::engine::avx512_vnni
