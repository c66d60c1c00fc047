#pragma once

#include <span>
#include <vector>

#include "model/enum_names.hpp"

namespace summand::engine {

/// Which of the engine's kernels run. Each set contains those before it.
enum class InstructionSet {
  generic,      ///< plain C++
  avx2,         ///< AVX2 with FMA
  avx512,       ///< AVX-512 F, BW, DQ, VL
  avx512_vnni,  ///< and native products of bytes
  avx512_bf16,  ///< and native products of bf16
};

[[nodiscard]] std::span<const model::EnumName<InstructionSet>> enum_names(InstructionSet);

/// The instruction sets that this build holds and this processor and operating system support, poorest first. Decided
/// by the processor's features, never by its maker.
[[nodiscard]] std::vector<InstructionSet> available_instruction_sets();

/// The richest available one, or the one that the environment variable SUMMAND_ISA names; read once per process.
/// @throws UsageError naming the choices if the variable holds anything else than an available one
[[nodiscard]] InstructionSet chosen_instruction_set();

}  // namespace summand::engine
