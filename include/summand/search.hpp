#pragma once

#include <cstddef>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/similarity.hpp"

namespace summand {

/// One of the corpus rows most similar to a query.
struct Hit {
  size_t index = 0;  ///< its row in the corpus
  double score = 0;  ///< Similarity to the query
};

/// Options of search().
struct SearchOptions {
  size_t top = 10;                             ///< hits per query, or all rows if there are fewer
  Similarity similarity = Similarity::cosine;  ///< measure that ranks them
  int threads = 0;  ///< at most, the caller included; 0: as many as the cgroup quota and the CPU affinity allow
};

/// The corpus rows most similar to each query, best first; ties in row order. Compares all rows, in double precision:
/// products of floats are exact there, and every sum runs over the width in order. Distances sum differences rounded to
/// double. The score of a query and a row has the same bits whatever else is in the call, with any `top`, any number of
/// threads and every instruction set. The call needs a few megabytes besides its arguments and its result.
/// @param queries  [queries, width]
/// @param corpus   [rows, width]; read in order, once per hundred queries or so: it may be a mapped file
/// @param options  number of hits, measure, threads
/// @return the hits of each query
/// @throws UsageError if the widths differ, `top` is 0 or `threads` negative
/// @throws TextError naming the first query or row with a number that is not finite
/// Source: sentence-transformers, util.semantic_search
[[nodiscard]] std::vector<std::vector<Hit>> search(MatrixView<const float> queries, MatrixView<const float> corpus,
                                                   const SearchOptions& options = {});
/// The same for whole matrices.
[[nodiscard]] inline std::vector<std::vector<Hit>> search(const Matrix<float>& queries, const Matrix<float>& corpus,
                                                          const SearchOptions& options = {}) {
  return search(queries.view(), corpus.view(), options);
}

}  // namespace summand
