#pragma once

#include "summand/matrix.hpp"

namespace summand {

/// How alike two vectors are: the larger, the more. Vectors are taken as they are, normalised or not.
/// Source: sentence-transformers 6.2, util/similarity.py, SimilarityFunction
enum class Similarity {
  cosine,     ///< dot product of the two divided by their lengths; 0 where one of them is zero
  dot,        ///< dot product
  euclidean,  ///< the negative Euclidean distance: 0 for the same vectors, else below
  manhattan,  ///< the negative sum of the coordinates' distances
};

/// Similarity of every row of one matrix with every row of another, computed in double: what search() ranks by.
/// @param a  [a, width]
/// @param b  [b, width]
/// @param measure  ModelInfo::similarity is what a model's files name
/// @return [a, b]
/// @throws UsageError if the widths differ; TextError naming the first row that holds a number that is not finite
[[nodiscard]] Matrix<double> similarity(MatrixView<const float> a, MatrixView<const float> b, Similarity measure);

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
