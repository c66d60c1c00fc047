#pragma once

#include <cstdint>
#include <optional>

#include "model/config.hpp"
#include "model/enum_names.hpp"
#include "model/weights.hpp"

namespace summand::train {

/// How to fill the new rows of a longer table; the old rows stay.
enum class NewRows {
  copied,       ///< the last row, repeated
  tiled,        ///< the table, repeated
  hierarchical  ///< positions α·u_i + (1 − α)·u_j, up to the square of their number: Su 2020, kexue.fm 7947
};
[[nodiscard]] std::span<const model::EnumName<NewRows>> enum_names(NewRows);

/// New sizes of a checkpoint's tables.
struct Enlargement {
  std::optional<int64_t> positions = {};  ///< in all
  std::optional<int64_t> segments = {};   ///< in all; hierarchical ones are tiled
  NewRows rows = NewRows::tiled;
  double alpha = 0.4;  ///< of hierarchical rows
};

/// Makes the position and segment tables longer; changes nothing else.
/// @throws ConfigError if the model has no learned table to enlarge, the table would become smaller, or it has too few
///   rows for hierarchical ones
void enlarge(model::Config& config, model::Weights& weights, const Enlargement& enlargement);

}  // namespace summand::train
