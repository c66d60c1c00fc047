#pragma once

#include <variant>

#include "model/positions/hierarchical.hpp"
#include "model/positions/learned.hpp"
#include "model/positions/linear.hpp"
#include "model/positions/sinusoidal.hpp"

namespace summand::model {

/// How a model is told a token's position: every way there is. Names, the fields of config.json, the parameter contract
/// and the dispatch follow from this list.
using Position =
    std::variant<LearnedPositions, SinusoidalPositions, NoPositions, FixedPositions, PowerPositions, TrainedSinusoids,
                 ScalarPositions, SmoothPositions, ExtendedPositions, HierarchicalPositions>;

}  // namespace summand::model
