#include "engine/kernels.hpp"

namespace summand::engine {

const KernelTable& kernels(InstructionSet instruction_set) {
#ifdef SUMMAND_ENGINE_X86
  switch (instruction_set) {
    case InstructionSet::generic:
      return generic::kKernels;
    case InstructionSet::avx2:
      return avx2::kKernels;
    case InstructionSet::avx512:
    case InstructionSet::avx512_vnni:
    case InstructionSet::avx512_bf16:
      return avx512::kKernels;
  }
  __builtin_unreachable();
#else
  static_cast<void>(instruction_set);
  return generic::kKernels;
#endif
}

}  // namespace summand::engine
