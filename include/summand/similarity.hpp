#pragma once

#include "summand/matrix.hpp"

namespace summand {

/// How similar two vectors are; larger is more similar. Vectors are not normalised first.
/// Source: sentence-transformers 6.2, util/similarity.py, SimilarityFunction
enum class Similarity {
  cosine,     ///< dot product divided by both norms; 0 if one vector is zero
  dot,        ///< dot product
  euclidean,  ///< negative Euclidean distance
  manhattan,  ///< negative sum of absolute differences
};

/// Similarity of every row of one matrix with every row of another, in double precision: the scores of search().
/// @param a  [a, width]
/// @param b  [b, width]
/// @param measure  ModelInfo::similarity is a model's own
/// @return [a, b]
/// @throws UsageError if the widths differ; TextError naming the first row with a number that is not finite
[[nodiscard]] Matrix<double> similarity(MatrixView<const float> a, MatrixView<const float> b, Similarity measure);

/// Cosine of every pair of rows, in double precision.
/// @param vectors  [texts, width]
/// @return [texts, texts], symmetric; a zero row has cosine 0 with everything, itself included
/// @throws TextError naming the first row with a number that is not finite
[[nodiscard]] Matrix<double> cosine_similarity(const Matrix<float>& vectors);

/// Cosine of every row of one matrix with every row of another, in double precision: the scores of search().
/// @param a  [a, width]
/// @param b  [b, width]
/// @return [a, b]; a zero row has cosine 0 with everything
/// @throws UsageError if the widths differ; TextError naming the first row with a number that is not finite
[[nodiscard]] Matrix<double> cosine_similarity(MatrixView<const float> a, MatrixView<const float> b);

}  // namespace summand
