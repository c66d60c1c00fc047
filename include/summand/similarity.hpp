#pragma once

#include "summand/matrix.hpp"

namespace summand {

/// Cosine of every pair of rows, computed in double.
/// @param vectors  [texts, width]
/// @return [texts, texts], symmetric; a zero row has cosine 0 with everything, itself included
[[nodiscard]] Matrix<double> cosine_similarity(const Matrix<float>& vectors);

}  // namespace summand
