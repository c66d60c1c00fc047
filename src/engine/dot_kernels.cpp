#include "engine/dot_kernels.hpp"

namespace summand::engine {

const DotKernels& dot_kernels(InstructionSet instruction_set) {
#ifdef SUMMAND_ENGINE_X86
  switch (instruction_set) {
    case InstructionSet::generic:
      return generic::kDotKernels;
    case InstructionSet::avx2:
      return avx2::kDotKernels;
    case InstructionSet::avx512:
    case InstructionSet::avx512_vnni:
    case InstructionSet::avx512_bf16:
      return avx512::kDotKernels;
  }
  __builtin_unreachable();
#else
  static_cast<void>(instruction_set);
  return generic::kDotKernels;
#endif
}

}  // namespace summand::engine
