#include "engine/low_precision_kernels.hpp"

namespace summand::engine {

const Bf16Kernels* bf16_kernels(InstructionSet instruction_set) {
#ifdef SUMMAND_ENGINE_X86
  if (instruction_set >= InstructionSet::avx512_bf16) return &avx512_bf16::kBf16Kernels;
#else
  static_cast<void>(instruction_set);
#endif
  return nullptr;
}

const Int8Kernels* int8_kernels(InstructionSet instruction_set) {
#ifdef SUMMAND_ENGINE_X86
  if (instruction_set >= InstructionSet::avx512_vnni) return &avx512_vnni::kInt8Kernels;
#else
  static_cast<void>(instruction_set);
#endif
  return nullptr;
}

}  // namespace summand::engine
