#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "api/vector_files/stored_vectors.hpp"
#include "base/matrix.hpp"
#include "engine/kernels/dots.hpp"
#include "summand/similarity.hpp"

namespace summand::api {

/// Query vectors in double precision, with their squared norms.
class QueryVectors {
 public:
  /// @throws TextError naming the first number that is not finite
  explicit QueryVectors(const StoredVectors& vectors);

  [[nodiscard]] size_t count() const { return squares_.size(); }
  [[nodiscard]] size_t width() const { return vectors_.columns(); }
  [[nodiscard]] MatrixView<const double> vectors() const { return vectors_.view(); }
  [[nodiscard]] double square(size_t query) const { return squares_[query]; }

 private:
  Matrix<double> vectors_;
  std::vector<double> squares_;
};

using summand::Similarity;

/// Results for some queries and up to 16 stored vectors.
struct DotBlock {
  size_t first_query = 0;
  size_t queries = 0;
  size_t first_row = 0;
  size_t rows = 0;                  ///< at most engine::kDotLanes
  const double* sums = nullptr;     ///< [queries, 16]: dot products, or sums for a distance: see score()
  const double* squares = nullptr;  ///< [16], of the stored vectors
  int participant = 0;              ///< index of the thread that computed it
};

/// Which products to compute, on how many threads.
struct DotPlan {
  Similarity measure = Similarity::cosine;
  size_t first_query = 0;
  size_t queries = 0;
  int threads = 1;
};

/// Number of queries to process in one pass over the stored vectors: as many as fit in the cache.
[[nodiscard]] size_t queries_at_a_time(size_t width);

/// Compares some queries with all stored vectors, 16 at a time, and passes each block to `take` on the thread that
/// computed it. A block's bits depend only on its own vectors.
/// @throws UsageError if the widths differ, or for a distance to bits
/// @throws TextError naming the first stored number that is not finite, after all other blocks were passed
void for_each_dot_block(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan,
                        const std::function<void(const DotBlock&)>& take);

/// Similarity of two vectors.
/// @param sum  the dot product; for distances the squared or absolute distance
/// @param square, other_square  squared norms, for cosine, which is 0 if one of them is zero
[[nodiscard]] double score(Similarity measure, double sum, double square, double other_square);

/// Whether it is a negative distance.
[[nodiscard]] bool is_distance(Similarity measure);

/// @throws UsageError if it is not an enumerator
void validate(Similarity measure);

/// Number of threads for comparing with this many stored vectors.
/// @param asked  0: all available
/// @throws UsageError if it is negative
[[nodiscard]] int threads_for(int asked, size_t rows);

}  // namespace summand::api
