#pragma once

#include <string>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::lab {

/// Rounded to single precision.
[[nodiscard]] model::Tensor tensor_of(const Table& table);

/// A model of the subject's with some of its weights, or of its sizes, changed. Weights are shared until replaced.
struct ChangedModel {
  model::Config config;
  model::Weights weights;

  /// Puts a table in the place of a tensor.
  void replace(const std::string& name, const Table& table);
  /// Puts another table of positions: the model then has as many positions as it has rows, whatever gave them before.
  void replace_positions(const Table& positions);
  [[nodiscard]] engine::Engine engine(int threads) const;
};

/// Nothing changed yet, but that segment rows which no text gets are left out, so that the table has the subject's
/// size. The subject's own three tables, which a test may have replaced, are not put in.
/// @pre there is a model
[[nodiscard]] ChangedModel changed_model(const Subject& subject);

/// The subject's model with another table of positions, on the engine. @pre there is a model
[[nodiscard]] engine::Engine engine_with_positions(const Subject& subject, const Table& positions, int threads);

}  // namespace summand::lab
