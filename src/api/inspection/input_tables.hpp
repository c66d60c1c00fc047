#pragma once

#include <optional>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "base/matrix.hpp"
#include "model/config.hpp"
#include "model/part_ops.hpp"

namespace summand::api {

/// What a joint table's rows J[t, p, s] have in common by token, by position and by segment: the mean over all rows of
/// that one, less the mean of all. What a row is besides is what the three make of it together only. Of a table that is
/// a sum of three these are the three tables, each less its mean row.
struct JointEffects {
  Matrix<double> token;     ///< [vocabulary, hidden]
  Matrix<double> position;  ///< [positions, hidden]
  Matrix<double> segment;   ///< [segments, hidden]
};

/// What a model composes its input of, in double: tables with their mean rows, and the parameters that compose them.
///
/// W + c with P - c is the same sum, so what belongs to which table is settled only once each table is centred: a row
/// is its table's mean plus a centred part, and what the composition makes of the three means is common to all tokens.
struct InputTables {
  model::Config config;
  Matrix<double> token;  ///< [vocabulary, token width]; of a joint table one row for each token, position and segment
  /// [positions, position width]; zeros where the model has none; of hierarchical positions one row for each place of
  /// each sentence
  Matrix<double> position;
  Matrix<double> segment;  ///< [segments, segment width]; zeros where there is none
  std::vector<double> token_mean, position_mean, segment_mean;  ///< [width], uniform over rows
  std::optional<JointEffects> joint;                            ///< of a joint table
  model::PartParameters composition;
};

/// @throws CheckpointError naming a parameter that is missing
[[nodiscard]] InputTables input_tables(const LoadedModel& model);

}  // namespace summand::api
