#pragma once

#include "api/search/vector_products.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "base/matrix.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"

namespace summand::api {

/// Similarities of some queries with all stored vectors.
/// @param plan  queries, measure, threads
/// @return [plan.queries, stored vectors]
/// @throws as summand::similarity
[[nodiscard]] Matrix<double> similarities(const QueryVectors& queries, const StoredVectors& stored,
                                          const DotPlan& plan);

/// How vectors are compared.
struct Comparison {
  Similarity measure = Similarity::cosine;
  int threads = 0;  ///< 0: all available
};

/// Similarities of every row of a with every row of b.
/// @return [a, b]
/// @throws as summand::similarity
[[nodiscard]] Matrix<double> similarities(MatrixView<const float> a, MatrixView<const float> b,
                                          const Comparison& comparison);

/// Writes a matrix of similarities to a NumPy file of float32, some rows at a time.
class SimilarityFile {
 public:
  /// @param file  outlives this object, and so do the columns
  /// @param rows  total number of rows
  SimilarityFile(io::OutputFile& file, MatrixView<const float> columns, size_t rows, const Comparison& comparison);

  /// @throws as summand::similarity
  void append(MatrixView<const float> rows);
  /// Finishes writing; the caller commits the file.
  void finish() { writer_.finish(); }

 private:
  MatrixView<const float> columns_;
  Comparison comparison_;
  io::NpyWriter writer_;
};

}  // namespace summand::api
