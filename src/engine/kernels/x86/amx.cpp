#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/x86/bf16_instruction_avx512.hpp"
#include "engine/kernels/x86/floats_avx512.hpp"
#include "engine/kernels/x86/half_panels_avx512.hpp"
#include "engine/kernels/x86/tables.hpp"
#include "engine/kernels/x86/tile_products.hpp"

namespace summand::engine::amx {

namespace {

struct Isa {
  static constexpr PanelLayout kLayout{.per_step = 2, .depth_multiple = 32};
};
using Floats = simd::Floats16<Isa>;
using Format = avx512_bf16::Bf16ByInstruction<Floats>;
using x86::NativeTiles;

constexpr PanelLayout kBytesLayout{.per_step = 4, .depth_multiple = 64};

}  // namespace

void begin_work() {
  x86::TileShaping<NativeTiles>::forget();
}

void end_work() {
  x86::TileShaping<NativeTiles>::release();
}

const HalfKernels kBf16Kernels{Isa::kLayout,
                               float_of_bf16,
                               kLargestBf16,
                               x86::TileProduct<x86::Bf16Tiles<NativeTiles, Floats, Format>, NativeTiles>::run,
                               simd::round<Floats, Format>,
                               simd::activate_and_round<Floats, Format>,
                               simd::softmax<Floats, Format>,
                               avx512::pack_keys<Floats, Isa>,
                               avx512::pack_values<Floats, Isa>};

const Int8Kernels kInt8Kernels{kBytesLayout,
                               x86::TileProduct<x86::Int8Tiles<NativeTiles, Floats, Format>, NativeTiles>::run,
                               avx512_vnni::quantise, simd::coarsely_activate<Floats>};

}  // namespace summand::engine::amx
