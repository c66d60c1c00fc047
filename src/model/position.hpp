#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "model/contract.hpp"
#include "model/kinds.hpp"
#include "model/positions/list.hpp"
#include "model/weights.hpp"

namespace summand::model {

/// Why its fields are invalid: "cosines: expected 1 to …"; empty if they are valid.
[[nodiscard]] std::string validation_error(const Position& position, TableSize size);

void add_parameters(const Position& position, TableSize size, Contract& contract);

/// One of every kind, with fields that fit the size.
[[nodiscard]] std::vector<Position> typical_positions(TableSize size);

/// The tensor that holds a table's rows as they are; null where a table is computed, or where there is none.
[[nodiscard]] const Tensor* position_rows(const Position& position, const Weights& weights);

/// The table of positions in double precision, computed or read; nothing without position information.
/// @return [size.rows, size.columns]
/// @throws ConfigError if the size does not fit the kind, CheckpointError if a parameter is missing
[[nodiscard]] std::optional<Matrix<double>> position_table(const Position& position, TableSize size,
                                                           const Weights& weights);

}  // namespace summand::model
