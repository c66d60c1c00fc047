#pragma once

#include <cstdint>
#include <string>

#include "model/config.hpp"
#include "train/network/tensors.hpp"
#include "train/run/adamw.hpp"

namespace summand::train {

/// How far a parameter is from the input: 0 of the tables, 1 of the first layer, …, layers + 1 of pooler and heads.
[[nodiscard]] int64_t depth_of(const std::string& parameter, const model::Config& config);

/// Learning rates that shrink from the head down: decay to the power of the layers above, the head's among them.
/// Source: Clark et al. 2020 (ELECTRA), section 3.1; Bao et al. 2022 (BEiT), appendix
[[nodiscard]] RateFactor layer_rates(double decay, const model::Config& config);

/// The tables and the first layers keep their values. @param layers  at most all
void freeze(const Parameters& parameters, int64_t layers, const model::Config& config);

}  // namespace summand::train
