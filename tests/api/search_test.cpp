#include "summand/search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "api/search/search.hpp"
#include "base/error.hpp"
#include "summand/similarity.hpp"

using namespace summand;

namespace {

Matrix<float> random_vectors(size_t rows, size_t width, unsigned seed) {
  Matrix<float> vectors(rows, width);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (float& x : vectors.elements()) x = normal(random);
  return vectors;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return total;
}

/// The definition: every row compared, everything sorted.
std::vector<Hit> ranked(std::span<const float> query, const Matrix<float>& corpus, Similarity similarity) {
  std::vector<Hit> hits;
  for (size_t row = 0; row < corpus.rows(); ++row) {
    const auto other = corpus.row(row);
    const double lengths = std::sqrt(dot(query, query) * dot(other, other));
    const double product = dot(query, other);
    const double cosine = lengths > 0 ? product / lengths : 0;
    double squares = 0;
    double absolute = 0;
    for (size_t i = 0; i < query.size(); ++i) {
      const double difference = static_cast<double>(query[i]) - static_cast<double>(other[i]);
      squares = std::fma(difference, difference, squares);
      absolute += std::abs(difference);
    }
    switch (similarity) {
      case Similarity::cosine:
        hits.push_back({row, cosine});
        break;
      case Similarity::dot:
        hits.push_back({row, product});
        break;
      case Similarity::euclidean:
        hits.push_back({row, -std::sqrt(squares)});
        break;
      case Similarity::manhattan:
        hits.push_back({row, -absolute});
        break;
    }
  }
  std::ranges::stable_sort(hits, std::greater(), &Hit::score);
  return hits;
}

bool same(const std::vector<Hit>& a, std::span<const Hit> b) {
  return std::ranges::equal(a, b, [](const Hit& x, const Hit& y) { return x.index == y.index && x.score == y.score; });
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("search finds what sorting all scores finds, to the last bit") {
  for (const size_t width : {size_t{1}, size_t{5}, size_t{48}}) {
    const auto queries = random_vectors(9, width, 1);
    const auto corpus = random_vectors(777, width, 2);
    for (const auto similarity : {Similarity::cosine, Similarity::dot, Similarity::euclidean, Similarity::manhattan}) {
      for (const size_t top : {size_t{1}, size_t{10}, size_t{776}, size_t{777}, size_t{5000}}) {
        const auto hits = search(queries.view(), corpus.view(), {.top = top, .similarity = similarity});
        REQUIRE(hits.size() == 9);
        for (size_t query = 0; query < 9; ++query) {
          const auto want = ranked(queries.row(query), corpus, similarity);
          CHECK(same(hits[query], std::span(want).first(std::min<size_t>(top, 777))));
        }
      }
    }
  }
}

TEST_CASE("a hit has the same bits whatever else is in the call") {
  const auto queries = random_vectors(300, 24, 3);
  const auto corpus = random_vectors(2500, 24, 4);
  const auto all = search(queries.view(), corpus.view(), {.top = 7, .threads = 1});
  for (const int threads : {2, 3, 64}) {
    const auto again = search(queries.view(), corpus.view(), {.top = 7, .threads = threads});
    for (size_t query = 0; query < 300; ++query) CHECK(same(again[query], all[query]));
  }
  for (const size_t query : {size_t{0}, size_t{17}, size_t{299}}) {
    const auto alone = search(queries.view().middle_rows(query, 1), corpus.view(), {.top = 7});
    CHECK(same(alone[0], all[query]));
    const Hit& best = all[query][0];
    const auto one = search(queries.view().middle_rows(query, 1), corpus.view().middle_rows(best.index, 1), {});
    CHECK(one[0][0].score == best.score);
  }
}

TEST_CASE("a corpus that comes in pieces gives the hits of the whole") {
  const auto queries = random_vectors(5, 24, 3);
  const auto corpus = random_vectors(1000, 24, 4);
  const auto whole = search(queries.view(), corpus.view(), {.top = 20});
  api::Search pieces(api::StoredVectors(queries.view(), "queries"), {.top = 20});
  for (const auto& [begin, count] : {std::pair{0, 1}, {1, 0}, {1, 500}, {501, 499}}) {
    pieces.add({corpus.view().middle_rows(static_cast<size_t>(begin), static_cast<size_t>(count)), "piece"});
  }
  const auto hits = pieces.hits();
  for (size_t query = 0; query < 5; ++query) CHECK(same(hits[query], whole[query]));
}

TEST_CASE("of equal scores the lower rows come first, however many there are and wherever they lie") {
  Matrix<float> corpus(5000, 4);
  for (size_t row = 0; row < corpus.rows(); ++row) corpus(row, row % 3) = 1;
  Matrix<float> query(1, 4);
  query(0, 1) = 3;
  const auto hits = search(query.view(), corpus.view(), {.top = 1700, .threads = 3})[0];
  for (size_t rank = 0; rank < 1700; ++rank) {
    // 1667 rows are the query's own direction; after them come the first of all others.
    const bool equal = rank < 1667;
    const size_t rest = rank - 1667;
    CHECK(hits[rank].index == (equal ? 3 * rank + 1 : rest / 2 * 3 + rest % 2 * 2));
    CHECK(hits[rank].score == (equal ? 1.0 : 0.0));
  }
}

TEST_CASE("a zero vector has cosine 0 with everything, before the negative and behind the positive") {
  Matrix<float> corpus(3, 2);
  corpus(0, 0) = -1;
  corpus(2, 0) = 1e-38F;
  Matrix<float> queries(2, 2);
  queries(1, 0) = 1e38F;
  const auto hits = search(queries.view(), corpus.view());
  CHECK(same(hits[0], std::vector<Hit>{{0, 0}, {1, 0}, {2, 0}}));
  CHECK(same(hits[1], std::vector<Hit>{{2, 1}, {1, 0}, {0, -1}}));
}

TEST_CASE("what cannot be searched is refused in one line") {
  const auto queries = random_vectors(3, 4, 1);
  auto corpus = random_vectors(900, 4, 2);
  const auto with = [&](const SearchOptions& options) {
    return refusal([&] { (void)search(queries.view(), corpus.view(), options); });
  };
  CHECK(with({.top = 0}) == "[search] expected at least 1 hit to look for, got 0");
  CHECK(with({.threads = -1}) == "[threads] expected at least 0, got -1");
  CHECK(with({.similarity = static_cast<Similarity>(9)}) == "[Similarity] expected one of its named values, got 9");
  const auto narrow = random_vectors(900, 3, 2);
  CHECK(refusal([&] { (void)search(queries.view(), narrow.view()); }) ==
        "[corpus] expected vectors of 4 numbers, as those they are compared with, got 3");
  corpus(700, 2) = std::numeric_limits<float>::quiet_NaN();
  corpus(600, 1) = -std::numeric_limits<float>::infinity();
  for (const int threads : {1, 2, 5}) {
    CHECK(with({.threads = threads}) == "[corpus] expected finite numbers, got -inf at [600, 1]");
  }
  CHECK(refusal([&] { (void)search(corpus.view(), queries.view()); }) ==
        "[queries] expected finite numbers, got -inf at [600, 1]");
}

TEST_CASE("a vector is nearest to itself by both distances, whatever its length") {
  auto corpus = random_vectors(300, 8, 5);
  for (float& x : corpus.row(7)) x *= 1e18F;
  std::ranges::fill(corpus.row(9), 0.0F);
  for (const auto similarity : {Similarity::euclidean, Similarity::manhattan}) {
    const auto hits = search(corpus.view(), corpus.view(), {.top = 1, .similarity = similarity});
    for (size_t row = 0; row < corpus.rows(); ++row) CHECK(same(hits[row], std::vector<Hit>{{row, 0}}));
    CHECK_FALSE(std::signbit(hits[0][0].score));
  }
}

TEST_CASE("no query and no corpus are no error") {
  const auto some = random_vectors(3, 4, 1);
  CHECK(search(some.view().middle_rows(0, 0), some.view()).empty());
  const auto hits = search(some.view(), some.view().middle_rows(0, 0));
  REQUIRE(hits.size() == 3);
  CHECK(hits[2].empty());
}

TEST_CASE("cosines of one matrix with another are those of their definition, and the square's those of one") {
  const auto a = random_vectors(600, 10, 1);
  auto b = random_vectors(35, 10, 2);
  std::ranges::fill(b.row(30), 0.0F);
  const auto cosines = cosine_similarity(a.view(), b.view());
  REQUIRE(cosines.rows() == 600);
  REQUIRE(cosines.columns() == 35);
  for (size_t row = 0; row < 600; ++row) {
    const auto ranking = ranked(a.row(row), b, Similarity::cosine);
    for (const Hit& hit : ranking) CHECK(cosines(row, hit.index) == hit.score);
  }
  for (const auto measure : {Similarity::dot, Similarity::euclidean, Similarity::manhattan}) {
    const auto all = similarity(a.view(), b.view(), measure);
    for (const Hit& hit : ranked(a.row(5), b, measure)) CHECK(all(5, hit.index) == hit.score);
  }
  const auto square = cosine_similarity(b);
  const auto same_square = cosine_similarity(b.view(), b.view());
  CHECK(std::ranges::equal(square.elements(), same_square.elements()));
  CHECK(square(3, 3) == 1.0);
  CHECK(square(3, 7) == square(7, 3));
  CHECK(square(30, 30) == 0.0);
  const auto narrower = random_vectors(2, 9, 1);
  CHECK(refusal([&] {
          (void)cosine_similarity(a.view(), narrower.view());
        }).starts_with("[vectors] expected vectors of 10 numbers"));
}
