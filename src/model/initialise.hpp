#pragma once

#include <cstdint>

#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"

namespace summand::model {

/// Every parameter of a model as training begins, as its Initialiser says. Each is drawn from a stream of its own,
/// keyed by the seed and its name: two models that have a parameter in common, of one shape, begin with the same
/// numbers in it, whatever else they have. Only what follows from another parameter, such as the first directions of
/// the token table, follows it.
/// @return F32 tensors under the names of parameters()
/// Source: transformers, BertPreTrainedModel._init_weights
[[nodiscard]] Weights initialise(const Config& config, const ModelParts& parts, uint64_t seed);

}  // namespace summand::model
