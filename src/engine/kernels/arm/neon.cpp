#include "engine/kernels/arm/floats_neon.hpp"
#include "engine/kernels/arm/flush_denormals.hpp"
#include "engine/kernels/arm/tables.hpp"
#include "engine/kernels/simd/bf16_by_fma.hpp"
#include "engine/kernels/simd/dot_kernel.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/simd/half_panels.hpp"
#include "engine/kernels/simd/pack_keys.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/row_kernels.hpp"

namespace summand::engine::neon {

namespace {

struct Isa {
  static constexpr PanelLayout kLayout{.per_step = 2, .depth_multiple = 2};
};
using Floats = arm::Floats4<Isa>;
using Doubles = arm::Doubles2<Isa>;
using Format = arm::Bf16Format<Floats>;

}  // namespace

// 6 rows times one panel of 16: 24 of the 32 registers hold sums.
const SinglePrecisionKernels kKernels{simd::product<simd::FloatProduct<Floats>, Floats, 6, 1>,
                                      simd::normalise<Floats>,
                                      simd::embed<Floats>,
                                      simd::softmax<Floats>,
                                      simd::activate<Floats>,
                                      simd::pack_keys<Floats>};

// 4 rows times one panel: 16 registers hold sums, 8 weights.
const HalfKernels kBf16Kernels{Isa::kLayout,
                               float_of_bf16,
                               kLargestBf16,
                               simd::bf16_product<Floats, Format, arm::FlushDenormals, 4, 1>,
                               simd::round<Floats, Format>,
                               simd::activate_and_round<Floats, Format>,
                               simd::softmax<Floats, Format>,
                               simd::pack_keys<Isa>,
                               simd::pack_values<Isa>};

// 2 queries times 16 rows: 16 of the 32 registers hold sums.
const DotKernels kDotKernels = simd::dot_kernels<Floats, Doubles, 2>();

}  // namespace summand::engine::neon
