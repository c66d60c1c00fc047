#pragma once

#include "base/random_stream.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::lab {

/// Changes what attention leaves free, in every layer; all that is random comes from the stream.
///
/// Of every head, queries A q and keys A⁻ᵀ k, A a factor of about 64 times two rotations with a stretch between them;
/// one vector added to the keys, which adds one number to all scores of a row; values R v, R a rotation, taken back by
/// the output map; one vector d added to the values, which comes out of attention as it is, taken back by its bias.
void change_gauge(const model::Config& config, model::Weights& weights, RandomStream& stream);

}  // namespace summand::lab
