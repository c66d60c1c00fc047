#pragma once

#include "api/stored_vectors.hpp"
#include "api/vector_products.hpp"
#include "base/matrix.hpp"

namespace summand::api {

/// Cosines of some queries with all stored vectors.
/// @param plan  which queries, and on how many threads
/// @return [plan.queries, stored vectors]
/// @throws as summand::cosine_similarity
[[nodiscard]] Matrix<double> cosines(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan);

}  // namespace summand::api
