#include "engine/kernels/arm/floats_neon.hpp"
#include "engine/kernels/arm/tables.hpp"
#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/converted_rows.hpp"
#include "engine/kernels/simd/destination.hpp"
#include "engine/kernels/simd/quantise.hpp"
#include "engine/kernels/simd/tile_endings.hpp"

namespace summand::engine::neon_dot {

namespace {

struct Isa;
using Floats = arm::Floats4<Isa>;

constexpr PanelLayout kLayout{.per_step = 4, .depth_multiple = 4};

/// Four products of bytes at a time and a lane, exactly (SDOT), which multiplies signed ones alone: rows are lowered by
/// 128.
struct Int8Product {
  using Task = simd::ConvertedTask<int8_t, int8_t>;
  using Total = int32x4_t;
  static constexpr size_t kPerStep = kLayout.per_step;

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static int8x16_t weights(const int8_t* from) { return vld1q_s8(from); }
  static int8x16_t same(const int8_t* from) {
    int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    return vreinterpretq_s8_s32(vdupq_n_s32(four));
  }
  static Total start(const Task&, size_t) { return vdupq_n_s32(0); }
  static Total add(Total total, int8x16_t value, int8x16_t weight) { return vdotq_s32(total, value, weight); }
  static Floats finish(const Task& task, size_t row, size_t column, Total total) {
    const Floats sum = Floats::of_integers_less(total, task.column_sums + column, task.codes[row].zero - 128);
    return simd::scaled_sum(task, row, column, sum);
  }
  static void store(const Task& task, size_t row, size_t column, size_t left, Floats values) {
    simd::store_to<arm::Bf16Format<Floats>>(task.out, row, column, left, values);
  }
};

void lower(const uint8_t* from, size_t depth, int8_t* to) {
  for (size_t i = 0; i < depth; ++i) to[i] = static_cast<int8_t>(from[i] ^ 0x80U);
}

void product(const Int8ProductTask& task) {
  simd::converted_product<Int8Product, Floats, 6>(task, task.panels, lower);
}

}  // namespace

// 6 rows times one panel of 16: 24 of the 32 registers hold totals.
const Int8Kernels kInt8Kernels{kLayout, product, simd::quantise<Floats>, simd::coarsely_activate<Floats>};

}  // namespace summand::engine::neon_dot
