#pragma once

#include "summand/matrix.hpp"

namespace summand {

/// Cosine of every pair of rows, computed in double.
/// @param vectors  [texts, width]
/// @return [texts, texts], symmetric; a zero row has cosine 0 with everything, itself included
/// @throws TextError naming the first row that holds a number that is not finite
[[nodiscard]] Matrix<double> cosine_similarity(const Matrix<float>& vectors);

/// Cosine of every row of one matrix with every row of another, computed in double: what search() ranks by.
/// @param a  [a, width]
/// @param b  [b, width]
/// @return [a, b]; a zero row has cosine 0 with everything
/// @throws UsageError if the widths differ; TextError naming the first row that holds a number that is not finite
[[nodiscard]] Matrix<double> cosine_similarity(MatrixView<const float> a, MatrixView<const float> b);

}  // namespace summand
