#include <array>

#include "engine/kernels/kernel_set.hpp"

namespace summand::engine {

// Of an architecture that has no list of its own.
std::span<const KernelSet> kernel_sets() {
  static const std::array sets{
      KernelSet{.name = "generic", .single_precision = &generic::kKernels, .dots = &generic::kDotKernels}};
  return sets;
}

}  // namespace summand::engine
