#pragma once

#include <span>
#include <vector>

#include "model/enum_names.hpp"

namespace summand::engine {

/// Which of the engine's kernels run: plain C++, AVX2 with FMA, or AVX-512 (F, BW, DQ, VL).
enum class InstructionSet { generic, avx2, avx512 };

[[nodiscard]] std::span<const model::EnumName<InstructionSet>> enum_names(InstructionSet);

/// The instruction sets that this build holds and this processor and operating system support, poorest first. Decided
/// by the processor's features, never by its maker.
[[nodiscard]] std::vector<InstructionSet> available_instruction_sets();

/// The richest available one, or the one that the environment variable SUMMAND_ISA names; read once per process.
/// @throws UsageError naming the choices if the variable holds anything else than an available one
[[nodiscard]] InstructionSet chosen_instruction_set();

}  // namespace summand::engine
