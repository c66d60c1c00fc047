#include <array>

#include "engine/kernels/arm/features.hpp"
#include "engine/kernels/arm/tables.hpp"
#include "engine/kernels/kernel_set.hpp"

namespace summand::engine {

std::span<const KernelSet> kernel_sets() {
  using namespace arm;
  static const std::array neon_dot_needs{kFp16, kDot};
  static const std::array neon_matrix_needs{kFp16, kDot, kBf16, kI8mm};
  static constexpr std::array not_measured{Preference{.reason = "nothing was measured on a processor of this kind"}};
  static const std::array sets{
      KernelSet{.name = "generic", .single_precision = &generic::kKernels, .dots = &generic::kDotKernels},
      KernelSet{.name = "neon",
                .single_precision = &neon::kKernels,
                .bf16 = &neon::kBf16Kernels,
                .dots = &neon::kDotKernels,
                .preferences = not_measured},
      KernelSet{.name = "neon_dot",
                .needs = neon_dot_needs,
                .single_precision = &neon::kKernels,
                .bf16 = &neon::kBf16Kernels,
                .fp16 = &neon_fp16::kFp16Kernels,
                .int8 = &neon_dot::kInt8Kernels,
                .dots = &neon::kDotKernels,
                .preferences = not_measured},
      KernelSet{.name = "neon_matrix",
                .needs = neon_matrix_needs,
                .single_precision = &neon::kKernels,
                .bf16 = &neon_matrix::kBf16Kernels,
                .fp16 = &neon_fp16::kFp16Kernels,
                .int8 = &neon_matrix::kInt8Kernels,
                .dots = &neon::kDotKernels,
                .preferences = not_measured},
  };
  return sets;
}

}  // namespace summand::engine
