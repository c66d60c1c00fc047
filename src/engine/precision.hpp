#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "engine/instruction_set.hpp"
#include "model/enum_names.hpp"

namespace summand::engine {

/// What the products of the encoder's layers multiply. Embeddings, normalisations, softmax, pooler and heads are in
/// single precision always.
enum class Precision {
  fp32,  ///< floats
  bf16,  ///< activations and weights rounded to bf16, sums in floats
  int8,  ///< activations in 8 bits per token, weights in 8 bits per output, sums exact; attention in bf16 or fp32
};

[[nodiscard]] std::span<const model::EnumName<Precision>> enum_names(Precision);

/// Whether an instruction set has native products of that precision; fp32 runs everywhere.
[[nodiscard]] bool runs(Precision precision, InstructionSet instruction_set);

/// What attention between tokens computes in: of int8 bf16, or fp32 where the instruction set has no bf16.
[[nodiscard]] Precision attention_precision(Precision precision, InstructionSet instruction_set);

/// "fp32", "bf16", "int8, attention in bf16", "bf16, attention in fp32"
[[nodiscard]] std::string describe(Precision precision, Precision attention);

/// @throws UsageError saying what is missing if it does not run
void check_runs(Precision precision, InstructionSet instruction_set);

}  // namespace summand::engine
