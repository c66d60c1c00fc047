#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/enum_names.hpp"

namespace summand::engine {

/// Number format of the encoder's matrix products. Embeddings, normalisations, softmax, pooler and heads are in
/// single precision always.
enum class Precision {
  fp32,  ///< floats
  bf16,  ///< activations and weights rounded to bf16, sums in floats
  fp16,  ///< activations and weights rounded to fp16, sums of a few in fp16 and of these in floats; numbers up to 65504
  int8,  ///< activations in 8 bits per token, weights in 8 bits per output, sums exact; attention in 16 bits or fp32
};

[[nodiscard]] std::span<const model::EnumName<Precision>> enum_names(Precision);

/// Whether products of that precision are of 16 bits, for which a set has HalfKernels.
[[nodiscard]] bool is_half(Precision precision);

/// "fp32", "bf16", "int8, attention in bf16", "bf16, attention in fp32"
[[nodiscard]] std::string describe(Precision precision, Precision attention);

}  // namespace summand::engine
