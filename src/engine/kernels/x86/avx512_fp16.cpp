#include "engine/kernels/simd/half_chains.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/x86/floats_avx512.hpp"
#include "engine/kernels/x86/half_panels_avx512.hpp"
#include "engine/kernels/x86/halves_avx512.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx512_fp16 {

namespace {

struct Isa {
  static constexpr PanelLayout kLayout{.per_step = 2, .depth_multiple = 2};
};
using Floats = simd::Floats16<Isa>;
using Product = simd::HalfChains<Halves32<Isa>, Floats, Fp16Format<Floats>>;

}  // namespace

// 4 rows times 2 panels of 16: 8 registers hold chains, 16 totals.
const HalfKernels kFp16Kernels{Isa::kLayout,
                               float_of_fp16,
                               kLargestFp16,
                               simd::product<Product, Floats, 4, 2>,
                               simd::round<Floats, Fp16Format<Floats>>,
                               simd::activate_and_round<Floats, Fp16Format<Floats>>,
                               simd::softmax<Floats, Fp16Format<Floats>>,
                               avx512::pack_keys<Floats, Isa>,
                               avx512::pack_values<Floats, Isa>};

}  // namespace summand::engine::avx512_fp16
