#include "engine/kernels/arm/floats_neon.hpp"
#include "engine/kernels/arm/matrix_instructions.hpp"
#include "engine/kernels/arm/matrix_products.hpp"
#include "engine/kernels/arm/tables.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/simd/half_panels.hpp"
#include "engine/kernels/simd/quantise.hpp"

namespace summand::engine::neon_matrix {

namespace {

struct Isa {
  static constexpr PanelLayout kLayout{.per_step = 4, .depth_multiple = 4};
};
using Floats = arm::Floats4<Isa>;
using Format = arm::Bf16Format<Floats>;
using Instructions = arm::MatrixInstructions<Isa>;

}  // namespace

const HalfKernels kBf16Kernels{Isa::kLayout,
                               float_of_bf16,
                               kLargestBf16,
                               arm::matrix_product<arm::Bf16Matrices<Instructions, Floats, Format>>,
                               simd::round<Floats, Format>,
                               simd::activate_and_round<Floats, Format>,
                               simd::softmax<Floats, Format>,
                               simd::pack_keys<Isa>,
                               simd::pack_values<Isa>};

const Int8Kernels kInt8Kernels{{.per_step = 8, .depth_multiple = 8},
                               arm::matrix_product<arm::Int8Matrices<Instructions, Floats, Format>>,
                               simd::quantise<Floats>,
                               simd::coarsely_activate<Floats>};

}  // namespace summand::engine::neon_matrix
