#pragma once

#include "engine/instruction_set.hpp"
#include "engine/kernels.hpp"
#include "engine/low_precision_kernels.hpp"
#include "engine/precision.hpp"

namespace summand::engine {

/// The precision that a network computes in, and the kernels for it.
struct Arithmetic {
  Precision precision;
  Precision attention;         ///< fp32 or bf16
  const KernelTable* kernels;  ///< of everything in single precision
  const Bf16Kernels* bf16;     ///< null where the instruction set has none
  const Int8Kernels* int8;     ///< likewise

  /// @throws UsageError if the instruction set has no native products of that precision
  Arithmetic(Precision wanted, InstructionSet instruction_set)
      : precision(wanted),
        attention(attention_precision(wanted, instruction_set)),
        kernels(&engine::kernels(instruction_set)),
        bf16(bf16_kernels(instruction_set)),
        int8(int8_kernels(instruction_set)) {
    check_runs(wanted, instruction_set);
  }
};

}  // namespace summand::engine
