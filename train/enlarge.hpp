#pragma once

#include <cstdint>
#include <optional>

#include "model/config.hpp"
#include "model/enum_names.hpp"
#include "model/weights.hpp"

namespace summand::train {

/// Where the rows of a longer table come from. All keep the first ones as they are.
enum class NewRows {
  copied,       ///< the last row, again and again
  tiled,        ///< the table, again and again
  hierarchical  ///< of positions α·u_i + (1 − α)·u_j, up to the square of their number: Su 2020, kexue.fm 7947
};
[[nodiscard]] std::span<const model::EnumName<NewRows>> enum_names(NewRows);

/// How much larger a checkpoint's tables become.
struct Enlargement {
  std::optional<int64_t> positions = {};  ///< in all
  std::optional<int64_t> segments = {};   ///< in all; hierarchical ones are tiled
  NewRows rows = NewRows::tiled;
  double alpha = 0.4;  ///< of hierarchical rows
};

/// Makes the position and segment tables longer; nothing else changes.
/// @throws ConfigError if the model has no learned table of what is to be enlarged, it would become smaller, or has too
///   few rows for hierarchical ones
void enlarge(model::Config& config, model::Weights& weights, const Enlargement& enlargement);

}  // namespace summand::train
