#pragma once

#include "base/random_stream.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::lab {

/// Changes what attention and normalisations leave free, in every layer; all that is random comes from the stream.
///
/// Of every head, queries A q and keys A⁻ᵀ k, A a factor of about 64 times two rotations with a stretch between them;
/// one vector added to the keys, which adds one number to all scores of a row; values R v, R a rotation, taken back by
/// the output map; one vector d added to the values, which comes out of attention as it is, taken back by its bias.
///
/// Of a normalisation g∘x̂ + b, whose x̂ has mean 0 over the coordinates and takes the mean out of what it is given:
/// what reads it, W + u (1/g)ᵀ, taken back by the bias; what is added up before it, W + 1 uᵀ and a number added to its
/// bias; b + v, taken back by the biases of what reads it and of what is added to it, and all of it times a
/// number, but for the last normalisation, whose outputs are the model's.
/// Source: Ba et al. 2016, equation 4
void change_gauge(const model::Config& config, model::Weights& weights, RandomStream& stream);

}  // namespace summand::lab
