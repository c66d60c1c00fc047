#pragma once

#include <optional>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "base/matrix.hpp"
#include "model/config.hpp"
#include "model/part_ops.hpp"

namespace summand::api {

/// Main effects of a joint table's rows J[t, p, s] by token, position and segment: the mean over all rows of that token
/// (position, segment) less the overall mean. The rest of a row is interaction. For a table that is a sum of three
/// tables, these are the three, each less its mean row.
struct JointEffects {
  Matrix<double> token;     ///< [vocabulary, hidden]
  Matrix<double> position;  ///< [positions, hidden]
  Matrix<double> segment;   ///< [segments, hidden]
};

/// The parameters of a model's input, in double: tables with their mean rows, and the parameters of the composition.
///
/// W + c and P - c give the same sum as W and P, so parts are only defined after centring: a row is its table's mean
/// plus a centred part, and the composition of the three means is common to all tokens.
struct InputTables {
  model::Config config;
  Matrix<double> token;  ///< [vocabulary, token width]; for a joint table one row per token, position and segment
  /// [positions, position width]; zeros if the model has none; hierarchical positions have one row per position of each
  /// sentence
  Matrix<double> position;
  Matrix<double> segment;  ///< [segments, segment width]; zeros if the model has none
  std::vector<double> token_mean, position_mean, segment_mean;  ///< [width], uniform over rows
  std::optional<JointEffects> joint;                            ///< of a joint table
  model::PartParameters composition;
};

/// @throws CheckpointError naming a parameter that is missing
[[nodiscard]] InputTables input_tables(const LoadedModel& model);

}  // namespace summand::api
