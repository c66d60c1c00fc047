#include "engine/kernels/simd/bf16_by_fma.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/x86/bf16_format_avx512.hpp"
#include "engine/kernels/x86/floats_avx512.hpp"
#include "engine/kernels/x86/flush_denormals.hpp"
#include "engine/kernels/x86/half_panels_avx512.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx512 {

namespace {

struct HalfIsa {
  static constexpr PanelLayout kLayout{.per_step = 2, .depth_multiple = 2};
};
using Floats = simd::Floats16<HalfIsa>;
using Format = Bf16ByIntegers<Floats>;

}  // namespace

// 8 rows times 3 panels of 16: 24 of the 32 registers hold sums, 6 weights.
const HalfKernels kBf16Kernels{HalfIsa::kLayout,
                               float_of_bf16,
                               kLargestBf16,
                               simd::bf16_product<Floats, Format, x86::FlushDenormals, 8, 3>,
                               simd::round<Floats, Format>,
                               simd::activate_and_round<Floats, Format>,
                               simd::softmax<Floats, Format>,
                               pack_keys<Floats, HalfIsa>,
                               pack_values<Floats, HalfIsa>};

}  // namespace summand::engine::avx512
