#pragma once

#include <optional>

#include "train/network/network.hpp"

namespace summand::train {

/// How much of the position table depends on distances alone: of the inner products of its centred rows, those of a
/// row with itself left out, the share of the variance that the distance of the two positions explains. The same for
/// every rotation of the table. The rows of [CLS] and of what lies behind the last symbol are left out.
/// @return none of a model without a position table
[[nodiscard]] std::optional<double> distance_share(const Network& network);

/// The share of one half's energy in circles that the other half found, as in claim X1: lab/statistics/circles.hpp.
/// @return none of a model without a position table, or of fewer than 120 rows
[[nodiscard]] std::optional<double> circle_share(const Network& network);

}  // namespace summand::train
