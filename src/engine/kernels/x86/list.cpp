#include <array>

#include "engine/kernels/kernel_set.hpp"
#include "engine/kernels/x86/features.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine {

std::span<const KernelSet> kernel_sets() {
  using namespace x86;
  static const std::array avx2_needs{kAvx2};
  static const std::array avx_vnni_needs{kAvx2, kAvxVnni};
  static const std::array avx512_needs{kAvx512};
  static const std::array avx512_vnni_needs{kAvx512, kAvx512Vnni};
  static const std::array avx512_bf16_needs{kAvx512, kAvx512Vnni, kAvx512Bf16};
  static const std::array avx512_fp16_needs{kAvx512, kAvx512Vnni, kAvx512Fp16};
  static const std::array amx_needs{kAvx512, kAvx512Vnni, kAvx512Bf16, kAvx512Fp16, kAmxTile, kAmxBf16, kAmxInt8};
  static constexpr std::array emulated{Preference{.reason = "Zen 5: bf16 by fused multiply-adds takes 1.03 (AVX-512) "
                                                            "to 1.05 times (AVX2) fp32's time on sentences of MiniLM"}};
  static constexpr std::array native{Preference{
      .floating = Precision::bf16,
      .int8_attention = Precision::bf16,
      .reason = "Zen 4 and Zen 5: VDPBF16PS does two multiply-adds in the time of one, 1.8 to 3.1 times fp32's speed"}};
  static constexpr std::array slow_bf16{Preference{
      .reason =
          "Emerald Rapids: sentences of MiniLM in fp32 12.1, in bf16 7.5 thousand tokens/s, as VDPBF16PS has half the "
          "rate of two fused multiply-adds; fp16 was not measured"}};
  static constexpr std::array tiles{Preference{
      .floating = Precision::bf16,
      .int8_attention = Precision::bf16,
      .reason = "not measured: by Intel's manual a tile does 16 times the multiply-adds of a fused one in its time"}};
  static const std::array sets{
      KernelSet{.name = "generic", .single_precision = &generic::kKernels, .dots = &generic::kDotKernels},
      KernelSet{.name = "avx2",
                .needs = avx2_needs,
                .single_precision = &avx2::kKernels,
                .bf16 = &avx2::kBf16Kernels,
                .int8 = &avx2::kInt8Kernels,
                .dots = &avx2::kDotKernels,
                .preferences = emulated},
      KernelSet{.name = "avx_vnni",
                .needs = avx_vnni_needs,
                .single_precision = &avx2::kKernels,
                .bf16 = &avx2::kBf16Kernels,
                .int8 = &avx_vnni::kInt8Kernels,
                .dots = &avx2::kDotKernels,
                .preferences = emulated},
      KernelSet{.name = "avx512",
                .needs = avx512_needs,
                .single_precision = &avx512::kKernels,
                .bf16 = &avx512::kBf16Kernels,
                .dots = &avx512::kDotKernels,
                .preferences = emulated},
      KernelSet{.name = "avx512_vnni",
                .needs = avx512_vnni_needs,
                .single_precision = &avx512::kKernels,
                .bf16 = &avx512::kBf16Kernels,
                .int8 = &avx512_vnni::kInt8Kernels,
                .dots = &avx512::kDotKernels,
                .preferences = emulated},
      KernelSet{.name = "avx512_bf16",
                .needs = avx512_bf16_needs,
                .single_precision = &avx512::kKernels,
                .bf16 = &avx512_bf16::kBf16Kernels,
                .int8 = &avx512_vnni::kInt8Kernels,
                .dots = &avx512::kDotKernels,
                .preferences = native},
      KernelSet{.name = "avx512_fp16",
                .needs = avx512_fp16_needs,
                .single_precision = &avx512::kKernels,
                .bf16 = &avx512::kBf16Kernels,
                .fp16 = &avx512_fp16::kFp16Kernels,
                .int8 = &avx512_vnni::kInt8Kernels,
                .dots = &avx512::kDotKernels,
                .preferences = slow_bf16},
      KernelSet{.name = "amx",
                .needs = amx_needs,
                .single_precision = &avx512::kKernels,
                .bf16 = &amx::kBf16Kernels,
                .fp16 = &avx512_fp16::kFp16Kernels,
                .int8 = &amx::kInt8Kernels,
                .dots = &avx512::kDotKernels,
                .preferences = tiles,
                .begin_work = amx::begin_work,
                .end_work = amx::end_work},
  };
  return sets;
}

}  // namespace summand::engine
