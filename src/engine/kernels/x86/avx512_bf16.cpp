#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/destination.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/x86/bf16_instruction_avx512.hpp"
#include "engine/kernels/x86/floats_avx512.hpp"
#include "engine/kernels/x86/flush_denormals.hpp"
#include "engine/kernels/x86/half_panels_avx512.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx512_bf16 {

namespace {

struct Isa {
  static constexpr PanelLayout kLayout{.per_step = 2, .depth_multiple = 2};
};
using Floats = simd::Floats16<Isa>;

using Format = Bf16ByInstruction<Floats>;

/// Pairs of bf16, one pair per lane.
struct Pairs {
  __m512i lanes;
  operator __m512bh() const { return reinterpret_cast<const __m512bh&>(lanes); }
};

/// Every output is one chain over pairs of the depth in order, starting from the bias.
struct Bf16Product {
  using Task = HalfProductTask;
  using Total = Floats;
  static constexpr size_t kPerStep = Isa::kLayout.per_step;
  static constexpr bool kFetchesAhead = true;

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static __m512i weights(const Half* from) { return _mm512_loadu_si512(from); }
  static __m512i same(const Half* from) {
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
  static void store(const Task& task, size_t row, size_t column, size_t left, Floats values) {
    simd::store_to<Format>(task.out, row, column, left, values);
  }
};

[[gnu::noinline]] void multiply(const HalfProductTask& task) {
  simd::product<Bf16Product, Floats, 8, 3>(task);
}

/// The instruction takes denormals for zeros by itself; what is done to its sums does so too.
void product(const HalfProductTask& task) {
  const x86::FlushDenormals flush;
  multiply(task);
}

}  // namespace

const HalfKernels kBf16Kernels{Isa::kLayout,
                               float_of_bf16,
                               kLargestBf16,
                               product,
                               simd::round<Floats, Format>,
                               simd::activate_and_round<Floats, Format>,
                               simd::softmax<Floats, Format>,
                               avx512::pack_keys<Floats, Isa>,
                               avx512::pack_values<Floats, Isa>};

}  // namespace summand::engine::avx512_bf16
