#include "api/search/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "engine/kernels/dots.hpp"

namespace summand {

namespace api {

namespace {

using engine::kDotLanes;

/// Hits that all threads together hold for the queries of one pass over the corpus.
constexpr size_t kMostHits = size_t{1} << 22;

/// Cosines are bounded by one, and the short way to them is wrong by a few units in the last place, 1e-16; so is the
/// square of a distance, of itself.
constexpr double kMargin = 1e-12;

/// The best hits of each query in what one thread has seen.
class ThreadHits {
 public:
  ThreadHits(const QueryVectors& queries, const DotPlan& plan, const SearchOptions& options)
      : queries_(queries),
        first_query_(plan.first_query),
        similarity_(options.similarity),
        best_(plan.queries, TopHits(options.top)) {
    for (size_t query = 0; query < plan.queries; ++query) least_.push_back(least_passing(query));
  }

  void see(const DotBlock& block, size_t index_of_first) {
    // A sum times the row's factor against one number for each query tells most rows off without division or root.
    std::array<double, kDotLanes> factors{};
    for (size_t lane = 0; lane < block.rows; ++lane) factors[lane] = factor(block.squares[lane]);
    for (size_t query = 0; query < best_.size(); ++query) {
      const double* const sums = block.sums + query * kDotLanes;
      size_t passing = 0;
      for (size_t lane = 0; lane < kDotLanes; ++lane) passing += sums[lane] * factors[lane] >= least_[query] ? 1 : 0;
      if (passing > 0) add(query, block, index_of_first);
    }
  }

  [[nodiscard]] const TopHits& best(size_t query) const { return best_[query]; }

 private:
  void add(size_t query, const DotBlock& block, size_t index_of_first) {
    for (size_t lane = 0; lane < block.rows; ++lane) {
      const double sum = block.sums[query * kDotLanes + lane];
      const double square = queries_.square(first_query_ + query);
      best_[query].add({.index = index_of_first + lane, .score = score(similarity_, sum, square, block.squares[lane])});
    }
    least_[query] = least_passing(query);
  }

  [[nodiscard]] double factor(double square) const {
    if (similarity_ == Similarity::cosine) return square > 0 ? 1 / std::sqrt(square) : 0;
    return is_distance(similarity_) ? -1 : 1;
  }

  /// Threshold for a row's sum times its factor to be among the best.
  [[nodiscard]] double least_passing(size_t query) const {
    constexpr double kNothing = -std::numeric_limits<double>::infinity();
    const double least = best_[query].least_score();
    switch (similarity_) {
      case Similarity::dot:
      case Similarity::manhattan:
        return least;
      case Similarity::euclidean:
        return least * -least * (1 + kMargin);
      case Similarity::cosine: {
        const double square = queries_.square(first_query_ + query);
        return square > 0 ? (least - kMargin) * std::sqrt(square) : kNothing;
      }
    }
    __builtin_unreachable();
  }

  const QueryVectors& queries_;
  size_t first_query_;
  Similarity similarity_;
  std::vector<TopHits> best_;  // [queries of the pass]
  std::vector<double> least_;  // likewise
};

void check(const SearchOptions& options) {
  if (options.top == 0) throw UsageError("search", "expected at least 1 hit to look for, got 0");
  validate(options.similarity);
}

}  // namespace

Search::Search(const StoredVectors& queries, const SearchOptions& options) : queries_(queries), options_(options) {
  check(options);
  best_.assign(queries_.count(), TopHits(options.top));
}

void Search::add(const StoredVectors& rows) {
  const auto threads = static_cast<size_t>(threads_for(options_.threads, rows.rows()));
  const size_t hits_of_query = std::clamp<size_t>(rows.rows(), 1, options_.top) * threads;
  const size_t step = std::clamp<size_t>(kMostHits / hits_of_query, 1, queries_at_a_time(queries_.width()));
  for (size_t query = 0; query < queries_.count(); query += step) {
    add_for(query, std::min(step, queries_.count() - query), rows);
  }
  rows_ += rows.rows();
}

void Search::add_for(size_t first_query, size_t count, const StoredVectors& rows) {
  const DotPlan plan{.measure = options_.similarity,
                     .first_query = first_query,
                     .queries = count,
                     .threads = threads_for(options_.threads, rows.rows())};
  std::vector<ThreadHits> threads(static_cast<size_t>(plan.threads), ThreadHits(queries_, plan, options_));
  for_each_dot_block(queries_, rows, plan, [&](const DotBlock& block) {
    threads[static_cast<size_t>(block.participant)].see(block, rows_ + block.first_row);
  });
  for (const ThreadHits& thread : threads) {
    for (size_t query = 0; query < count; ++query) {
      for (const Hit& hit : thread.best(query).hits()) best_[first_query + query].add(hit);
    }
  }
}

std::vector<std::vector<Hit>> Search::hits() const {
  std::vector<std::vector<Hit>> hits;
  for (const TopHits& best : best_) hits.push_back(best.sorted());
  return hits;
}

}  // namespace api

std::vector<std::vector<Hit>> search(MatrixView<const float> queries, MatrixView<const float> corpus,
                                     const SearchOptions& options) {
  api::Search search(api::StoredVectors(queries, "queries"), options);
  search.add(api::StoredVectors(corpus, "corpus"));
  return search.hits();
}

}  // namespace summand
