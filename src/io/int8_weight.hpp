#pragma once

#include "io/weight_files.hpp"
#include "model/parameters.hpp"

namespace summand::io {

/// The weight of a dense layer as a checkpoint in 8 bits holds it: "X.weight", I8 [out, in], and "X.weight_scale",
/// F32 [out].
/// @param files  holds tensors of both names
/// @return the weight, its scales attached
/// @throws CheckpointError if a type or shape differs, a value is -128, which has no opposite, or a scale is no number
///   from 0 to model::kLargestScale
[[nodiscard]] model::Tensor int8_weight(const model::Parameter& parameter, const WeightFiles& files);

}  // namespace summand::io
