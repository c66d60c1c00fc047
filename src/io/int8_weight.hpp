#pragma once

#include <filesystem>

#include "io/weight_files.hpp"
#include "model/config.hpp"
#include "model/parameters.hpp"
#include "model/weights.hpp"

namespace summand::io {

/// The weight of a dense layer as a checkpoint in 8 bits holds it: "X.weight", I8 [out, in], and "X.weight_scale",
/// F32 [out]; of a calibrated one "X.input_factor" too, F32 [in].
/// @param format  in 8 bits
/// @param files  holds tensors of the names that the format has
/// @return the weight, its scales and its factors attached
/// @throws CheckpointError if a type or shape differs, a value is -128, which has no opposite, or a scale is no number
///   from 0 to model::kLargestScale, or a factor none from model::kLeastFactor to model::kLargestFactor
[[nodiscard]] model::Tensor int8_weight(const model::Parameter& parameter, model::WeightFormat format,
                                        const WeightFiles& files);

/// Queries, keys and values of a layer read the same input bytes, so their weights share the same factors.
/// @throws CheckpointError naming the first two that differ
void check_shared_factors(const model::Config& config, const model::Weights& weights,
                          const std::filesystem::path& file);

}  // namespace summand::io
