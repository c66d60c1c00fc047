#include "engine/kernels/arm/floats_neon.hpp"
#include "engine/kernels/arm/tables.hpp"
#include "engine/kernels/simd/destination.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/simd/half_panels.hpp"
#include "engine/kernels/simd/product_kernel.hpp"

namespace summand::engine::neon_fp16 {

namespace {

struct Isa {
  static constexpr PanelLayout kLayout{.per_step = 1, .depth_multiple = 1};
};
using Floats = arm::Floats4<Isa>;

/// The nearest fp16 of each float, infinity beyond its range (FCVTN).
struct Fp16Format {
  static constexpr bool kOverflows = true;
  static void store(Half* to, size_t count, Floats values) {
    const uint16x4_t halves = vreinterpret_u16_f16(vcvt_f16_f32(values.lanes));
    if (count == Floats::kWidth) return vst1_u16(reinterpret_cast<uint16_t*>(to), halves);
    uint16_t some[Floats::kWidth];
    vst1_u16(some, halves);
    __builtin_memcpy(to, some, count * sizeof(Half));
  }
};

/// Eight floats, as wide as eight halves.
struct Floats8 {
  static constexpr size_t kWidth = 8;
  Floats low;
  Floats high;
};

/// A chain of fused multiply-adds of halves takes 32 numbers of the depth, then joins a total in floats: as in
/// simd/half_chains.hpp, where of 64 numbers the even and the odd ones have a chain each.
struct Fp16Product {
  using Task = HalfProductTask;
  static constexpr size_t kPerStep = 1;
  static constexpr size_t kChain = 32;

  struct Total {
    float16x8_t chain;
    Floats8 total;
  };

  static size_t steps(const Task& task) { return task.depth; }
  static float16x8_t weights(const Half* from) {
    return vreinterpretq_f16_u16(vld1q_u16(reinterpret_cast<const uint16_t*>(from)));
  }
  /// One number, by which a whole register is multiplied.
  static float16_t same(const Half* from) {
    float16_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  static Total start(const Task& task, size_t column) {
    const auto bias = [&](size_t i) { return task.bias == nullptr ? Floats::zero() : Floats::load(task.bias + i); };
    return {vdupq_n_f16(0), {bias(column), bias(column + 4)}};
  }
  static Total add(Total total, float16_t value, float16x8_t weight) {
    total.chain = vfmaq_n_f16(total.chain, weight, value);
    return total;
  }
  static Total settle(Total total) {
    const Floats low{vcvt_f32_f16(vget_low_f16(total.chain))};
    const Floats high{vcvt_high_f32_f16(total.chain)};
    return {vdupq_n_f16(0), {total.total.low + low, total.total.high + high}};
  }
  static Floats8 finish(const Task& task, size_t row, size_t, const Total& total) {
    if (task.row_factors == nullptr) return total.total;
    const Floats factor = Floats::all(task.row_factors[row]);
    return {total.total.low * factor, total.total.high * factor};
  }
  static void store(const Task& task, size_t row, size_t column, size_t left, Floats8 values) {
    simd::store_to<Fp16Format>(task.out, row, column, left, values.low);
    if (left > 4) simd::store_to<Fp16Format>(task.out, row, column + 4, left - 4, values.high);
  }
};

}  // namespace

// 8 rows times one panel of 16: 16 registers hold chains; totals wait in memory while these grow.
const HalfKernels kFp16Kernels{Isa::kLayout,
                               float_of_fp16,
                               kLargestFp16,
                               simd::product<Fp16Product, Floats8, 8, 1>,
                               simd::round<Floats, Fp16Format>,
                               simd::activate_and_round<Floats, Fp16Format>,
                               simd::softmax<Floats, Fp16Format>,
                               simd::pack_keys<Isa>,
                               simd::pack_values<Isa>};

}  // namespace summand::engine::neon_fp16
