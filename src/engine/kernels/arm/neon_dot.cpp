#include "engine/kernels/arm/floats_neon.hpp"
#include "engine/kernels/arm/tables.hpp"
#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/destination.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/quantise.hpp"

namespace summand::engine::neon_dot {

namespace {

struct Isa;
using Floats = arm::Floats4<Isa>;

constexpr PanelLayout kLayout{.per_step = 4, .depth_multiple = 4};

/// Int8ProductTask with rows of signed bytes, each 128 less: SDOT multiplies signed ones alone.
struct SignedTask {
  const int8_t* rows;
  size_t row_stride;
  const RowCode* codes;
  size_t row_count;
  size_t depth;
  const int8_t* panels;
  const float* column_scales;
  const int32_t* column_sums;
  const float* bias;
  size_t columns;
  Destination out;
};

/// Four products of bytes at a time and a lane, exactly (SDOT).
struct Int8Product {
  using Task = SignedTask;
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
    const RowCode code = task.codes[row];
    const Floats sum = Floats::of_integers_less(total, task.column_sums + column, code.zero - 128);
    const Floats scale = Floats::load(task.column_scales + column) * Floats::all(code.scale);
    return fused(sum, scale, Floats::load(task.bias + column));
  }
  static void store(const Task& task, size_t row, size_t column, Floats values) {
    simd::store_to<arm::Bf16Format<Floats>>(task.out, row, column, task.columns - column, values);
  }
};

constexpr size_t kRows = 6;

/// Some rows at a time become signed, then all panels pass them.
void product(const Int8ProductTask& task) {
  int8_t lowered[kLargestInt8Depth];
  const size_t fit = kLargestInt8Depth / task.depth;
  const size_t most = fit < kRows ? fit : kRows;
  for (size_t first = 0; first < task.row_count; first += most) {
    const size_t count = task.row_count - first < most ? task.row_count - first : most;
    for (size_t row = 0; row < count; ++row) {
      const uint8_t* const from = task.rows + (first + row) * task.row_stride;
      int8_t* const to = lowered + row * task.depth;
      for (size_t i = 0; i < task.depth; ++i) to[i] = static_cast<int8_t>(from[i] ^ 0x80U);
    }
    simd::product<Int8Product, Floats, kRows, 1>(
        {lowered,
         task.depth,
         task.codes + first,
         count,
         task.depth,
         task.panels,
         task.column_scales,
         task.column_sums,
         task.bias,
         task.columns,
         {.floats = task.out.floats == nullptr ? nullptr : task.out.floats + first * task.out.stride,
          .rounded = task.out.rounded == nullptr ? nullptr : task.out.rounded + first * task.out.stride,
          .stride = task.out.stride}});
  }
}

}  // namespace

// 6 rows times one panel of 16: 24 of the 32 registers hold totals.
const Int8Kernels kInt8Kernels{kLayout, product, simd::quantise<Floats>, simd::coarsely_activate<Floats>};

}  // namespace summand::engine::neon_dot
