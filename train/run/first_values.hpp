#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/enum_names.hpp"
#include "train/run/initial_model.hpp"

namespace summand::train {

/// What a model's first values are.
enum class FirstValues {
  drawn,    ///< drawn by the seed
  sum,      ///< likewise, but its composition computes the sum of the same three tables
  redrawn,  ///< drawn by another seed, which follows from the seed
};
[[nodiscard]] std::span<const model::EnumName<FirstValues>> enum_names(FirstValues);

/// Gives a configuration its weights. Two models of a seed have the same numbers in each parameter that both have.
/// @param where  names the configuration in messages
/// @throws ConfigError if the composition cannot compute the sum where it should
void set_first_values(InitialModel& initial, FirstValues how, uint64_t seed, const std::string& where);

}  // namespace summand::train
