#pragma once

#include <variant>

#include "model/compositions/concatenated.hpp"
#include "model/compositions/gated.hpp"
#include "model/compositions/joint.hpp"
#include "model/compositions/multiplicative.hpp"
#include "model/compositions/scaled.hpp"
#include "model/compositions/sum.hpp"
#include "model/compositions/token_subspace.hpp"

namespace summand::model {

/// How the token, position and segment rows become one input vector, before normalisation: every way there is. Names,
/// the fields of config.json, the parameter contract and the dispatch follow from this list.
using Composition = std::variant<Sum, ScaledSum, WeightedSum, ScalarGate, VectorGate, ConcatenateProject, Concatenate,
                                 Multiplicative, OutsideTokens, WithinTokens, JointTable>;

}  // namespace summand::model
