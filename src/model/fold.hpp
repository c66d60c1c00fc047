#pragma once

#include <string>

#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"

namespace summand::model {

/// A model whose input is the plain sum of three learned tables, as BERT's is.
struct Folded {
  Config config;
  Weights weights;
};

/// Whether a composition is a sum of one linear map of each row: then three other tables, added, are the same.
[[nodiscard]] bool is_sum_of_maps(const Composition& composition);

/// Why a model is no sum of three tables; empty where it is one.
[[nodiscard]] std::string fold_error(const Config& config, const ModelParts& parts);

/// The same model with the plain sum: each table's rows composed alone, computed positions as rows, zeros where a part
/// is absent. Tables are computed in double precision and rounded once.
/// @pre fold_error() finds nothing
[[nodiscard]] Folded fold(const Config& config, const Weights& weights);

}  // namespace summand::model
