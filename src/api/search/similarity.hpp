#pragma once

#include "api/search/vector_products.hpp"
#include "api/stored/stored_vectors.hpp"
#include "base/matrix.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"

namespace summand::api {

/// Similarities of some queries with all stored vectors.
/// @param plan  which queries, by which measure, and on how many threads
/// @return [plan.queries, stored vectors]
/// @throws as summand::similarity
[[nodiscard]] Matrix<double> similarities(const QueryVectors& queries, const StoredVectors& stored,
                                          const DotPlan& plan);

/// How vectors are compared.
struct Comparison {
  Similarity measure = Similarity::cosine;
  int threads = 0;  ///< 0: what there is
};

/// Similarities of every row of a with every row of b.
/// @return [a, b]
/// @throws as summand::similarity
[[nodiscard]] Matrix<double> similarities(MatrixView<const float> a, MatrixView<const float> b,
                                          const Comparison& comparison);

/// A matrix of similarities that is written as a NumPy file of float32, some rows at a time.
class SimilarityFile {
 public:
  /// @param file  outlives this object, and so do the columns
  /// @param rows  that will be appended
  SimilarityFile(io::OutputFile& file, MatrixView<const float> columns, size_t rows, const Comparison& comparison);

  /// @throws as summand::similarity
  void append(MatrixView<const float> rows);
  /// The file is still to be committed.
  void finish() { writer_.finish(); }

 private:
  MatrixView<const float> columns_;
  Comparison comparison_;
  io::NpyWriter writer_;
};

}  // namespace summand::api
