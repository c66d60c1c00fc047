#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "api/stored/stored_vectors.hpp"
#include "base/matrix.hpp"
#include "engine/kernels/dots.hpp"
#include "summand/similarity.hpp"

namespace summand::api {

/// Vectors that stored ones are compared with: in double precision, with their squared lengths.
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

/// Some queries compared with up to 16 stored vectors.
struct DotBlock {
  size_t first_query = 0;
  size_t queries = 0;
  size_t first_row = 0;
  size_t rows = 0;                  ///< at most engine::kDotLanes
  const double* sums = nullptr;     ///< [queries, 16]: dot products, or what a distance is made of, see score()
  const double* squares = nullptr;  ///< [16], of the stored vectors
  int participant = 0;              ///< which of the threads has it
};

/// How dot products are shared out.
struct DotPlan {
  Similarity measure = Similarity::cosine;
  size_t first_query = 0;
  size_t queries = 0;
  int threads = 1;
};

/// Queries that are best taken through the stored vectors together: as many as a cache holds.
[[nodiscard]] size_t queries_at_a_time(size_t width);

/// Compares some queries with all stored vectors, 16 at a time, and gives every block to `take` on the thread that
/// made it. All bits of a block depend on its own vectors alone.
/// @throws UsageError if the widths differ, or a distance to bits is asked for; TextError naming the first stored
/// number that is not finite, after all
///   blocks without such numbers were given
void for_each_dot_block(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan,
                        const std::function<void(const DotBlock&)>& take);

/// How alike two vectors are.
/// @param sum  of the two: the dot product; of the distances the squared or absolute one
/// @param square, other_square  their squared lengths, of cosine: it is 0 where one of them is zero
[[nodiscard]] double score(Similarity measure, double sum, double square, double other_square);

/// Whether it is a negative distance.
[[nodiscard]] bool is_distance(Similarity measure);

/// @throws UsageError if it is none of its named values
void validate(Similarity measure);

/// How many threads can share the work of comparing with as many stored vectors.
/// @param asked  by a caller: 0 for what there is
/// @throws UsageError if it is negative
[[nodiscard]] int threads_for(int asked, size_t rows);

}  // namespace summand::api
