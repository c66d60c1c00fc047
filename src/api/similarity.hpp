#pragma once

#include "api/stored_vectors.hpp"
#include "api/vector_products.hpp"
#include "base/matrix.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"

namespace summand::api {

/// Cosines of some queries with all stored vectors.
/// @param plan  which queries, and on how many threads
/// @return [plan.queries, stored vectors]
/// @throws as summand::cosine_similarity
[[nodiscard]] Matrix<double> cosines(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan);

/// Cosines of every row of a with every row of b.
/// @param threads  0: what there is
/// @return [a, b]
/// @throws as summand::cosine_similarity
[[nodiscard]] Matrix<double> cosines(MatrixView<const float> a, MatrixView<const float> b, int threads);

/// A matrix of cosines that is written as a NumPy file of float32, some rows at a time.
class CosineFile {
 public:
  struct Shape {
    size_t rows = 0;
    int threads = 0;  ///< 0: what there is
  };
  /// @param file  outlives this object, and so do the columns
  CosineFile(io::OutputFile& file, MatrixView<const float> columns, const Shape& shape);

  /// @throws as summand::cosine_similarity
  void append(MatrixView<const float> rows);
  /// The file is still to be committed.
  void finish() { writer_.finish(); }

 private:
  StoredVectors columns_;
  int threads_;
  io::NpyWriter writer_;
};

}  // namespace summand::api
