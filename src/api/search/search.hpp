#pragma once

#include <cstddef>
#include <vector>

#include "api/search/top_hits.hpp"
#include "api/search/vector_products.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "summand/search.hpp"

namespace summand::api {

using summand::Hit;
using summand::SearchOptions;
using summand::Similarity;

/// summand::search over a corpus that comes in pieces.
class Search {
 public:
  /// @throws as summand::search
  Search(const StoredVectors& queries, const SearchOptions& options);

  /// Compares all queries with more rows, numbered after the earlier ones.
  /// @throws as summand::search, naming the rows
  void add(const StoredVectors& rows);

  /// The best hits of each query over all rows so far, best first.
  [[nodiscard]] std::vector<std::vector<Hit>> hits() const;

 private:
  void add_for(size_t first_query, size_t count, const StoredVectors& rows);

  QueryVectors queries_;
  SearchOptions options_;
  std::vector<TopHits> best_;  // [queries]
  size_t rows_ = 0;
};

}  // namespace summand::api
