#pragma once

#include <arm_neon.h>

namespace summand::engine::arm {

/// Products of small matrices as instructions (FEAT_BF16, FEAT_I8MM). Tests run the same kernels over a plain model of
/// them, which has the same members.
/// @tparam Isa  as in Floats4
template <class Isa>
struct MatrixInstructions {
  using Word = uint8x16_t;
  using FloatSums = float32x4_t;
  using IntegerSums = int32x4_t;

  static Word load(const void* from) { return vld1q_u8(static_cast<const uint8_t*>(from)); }
  /// Eight bytes from each place.
  static Word two(const void* first, const void* second) {
    return vcombine_u8(vld1_u8(static_cast<const uint8_t*>(first)), vld1_u8(static_cast<const uint8_t*>(second)));
  }
  /// sums[2·i + j] += Σ rows[i][k] · columns[j][k] over four numbers.
  static FloatSums bfmmla(FloatSums sums, Word rows, Word columns) {
    return vbfmmlaq_f32(sums, vreinterpretq_bf16_u8(rows), vreinterpretq_bf16_u8(columns));
  }
  /// sums[2·i + j] += Σ rows[i][k] · columns[j][k] over eight bytes, unsigned times signed.
  static IntegerSums usmmla(IntegerSums sums, Word rows, Word columns) {
    return vusmmlaq_s32(sums, rows, vreinterpretq_s8_u8(columns));
  }
  static void store(FloatSums sums, float* to) { vst1q_f32(to, sums); }
  static void store(IntegerSums sums, int32_t* to) { vst1q_s32(to, sums); }
};

}  // namespace summand::engine::arm
