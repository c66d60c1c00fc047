#pragma once

#include <cstddef>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/similarity.hpp"

namespace summand {

/// One of the vectors most like a query.
struct Hit {
  size_t index = 0;  ///< its row in the corpus
  double score = 0;  ///< Similarity to the query
};

/// What search() looks for.
struct SearchOptions {
  size_t top = 10;                             ///< hits for each query, or all rows where there are fewer
  Similarity similarity = Similarity::cosine;  ///< by which they are ranked
  int threads = 0;  ///< at most this many, the caller among them; 0: what the cgroup quota and the affinity allow
};

/// The rows of a corpus that are most like each query, best first; of equals, lower rows first. All rows are compared,
/// in double precision: products of floats are exact there, and every sum is one chain over the width in order, of
/// differences rounded to double where distances are asked for. The
/// score of a query and a row has the same bits whatever else is in the call, with any `top`, with any number of
/// threads and on every instruction set. Beside its arguments and its result the call needs a few megabytes.
/// @param queries  [queries, width]
/// @param corpus   [rows, width]; read once for every hundred queries or so, in order: it may be a mapped file
/// @param options  how many, by which measure, on how many threads
/// @return hits of each query
/// @throws UsageError if the widths differ, `top` is 0 or `threads` negative
/// @throws TextError naming the first query or row that holds a number that is not finite
/// Source of the task: sentence-transformers' util.semantic_search
[[nodiscard]] std::vector<std::vector<Hit>> search(MatrixView<const float> queries, MatrixView<const float> corpus,
                                                   const SearchOptions& options = {});
/// The same of whole matrices.
[[nodiscard]] inline std::vector<std::vector<Hit>> search(const Matrix<float>& queries, const Matrix<float>& corpus,
                                                          const SearchOptions& options = {}) {
  return search(queries.view(), corpus.view(), options);
}

}  // namespace summand
