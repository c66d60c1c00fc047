#pragma once

#include <string>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"

namespace summand::lab {

/// How far a model can be asked, found by asking: batches of one token, the largest that is not refused.
struct TableLimits {
  size_t positions = 0;          ///< position ids 0 … positions − 1 are taken
  size_t segments = 0;           ///< segment ids likewise
  std::string refused_position;  ///< what the engine says of the next one
  std::string refused_segment;
};

/// @param most  of either that is asked for
[[nodiscard]] TableLimits table_limits(const engine::Engine& engine, size_t most);

}  // namespace summand::lab
