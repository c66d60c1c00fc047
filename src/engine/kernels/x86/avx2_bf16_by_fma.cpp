#include "engine/kernels/simd/bf16_by_fma.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/x86/bf16_format_avx2.hpp"
#include "engine/kernels/x86/floats_avx2.hpp"
#include "engine/kernels/x86/flush_denormals.hpp"
#include "engine/kernels/x86/half_panels_avx2.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx2 {

namespace {

constexpr PanelLayout kLayout{.per_step = 2, .depth_multiple = 2};

}  // namespace

// 5 rows times one panel of 16: 10 of the 16 registers hold sums, 4 weights.
const HalfKernels kBf16Kernels{kLayout,
                               float_of_bf16,
                               kLargestBf16,
                               simd::bf16_product<Floats, Bf16Format, x86::FlushDenormals, 5, 1>,
                               simd::round<Floats, Bf16Format>,
                               simd::activate_and_round<Floats, Bf16Format>,
                               simd::softmax<Floats, Bf16Format>,
                               pack_keys,
                               pack_values};

}  // namespace summand::engine::avx2
