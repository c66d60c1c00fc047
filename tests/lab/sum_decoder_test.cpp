// Reading token, position and segment back from a sum.
#include "lab/probing/sum_decoder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/surrogates.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;

namespace {

Table noise(Index rows, Index columns, const char* name) {
  RandomStream stream(21, name);
  return white_noise({static_cast<size_t>(rows), static_cast<size_t>(columns)}, stream);
}

/// Of random tables, 2,000 tokens, 128 positions, 2 segments, norms 1.4, .5, .2: how many of 400 sums are decoded.
double random_rate(size_t width, double noise_size, Seen seen) {
  RandomStream stream(17, "random tables " + std::to_string(width));
  const auto table = [&](size_t rows, double norm) -> Table {
    return norm / std::sqrt(static_cast<double>(width)) * white_noise({rows, width}, stream);
  };
  const Table tokens = table(2000, 1.4);
  const Table positions = table(128, 0.5);
  const SumDecoder decoder(tokens, positions, table(2, 0.2));
  std::vector<SumItem> items(400);
  for (auto& item : items) {
    item = {static_cast<Index>(stream.below(2000)), static_cast<Index>(stream.below(128)),
            static_cast<Index>(stream.below(2))};
  }
  FloatTable vectors = decoder.seen(items, seen);
  for (Index i = 0; i < vectors.rows(); ++i) {
    const double scale = noise_size * vectors.row(i).norm() / std::sqrt(static_cast<double>(width));
    for (Index d = 0; d < vectors.cols(); ++d) vectors(i, d) += static_cast<float>(scale * stream.normal());
  }
  return exact_rate(decoder.decode(vectors, items, seen, 2));
}

}  // namespace

TEST_CASE("the decoder finds what a search through every combination in double finds") {
  const Table tokens = noise(70, 5, "few tokens");
  const Table positions = 0.5 * noise(9, 5, "few positions");
  const Table segments = 0.2 * noise(2, 5, "few segments");
  const SumDecoder decoder(tokens, positions, segments);
  std::vector<SumItem> items;
  for (Index i = 0; i < 60; ++i) items.push_back({i, i % 9, i % 2});
  FloatTable vectors = decoder.seen(items, Seen::sum);
  vectors += 0.4F * noise(60, 5, "disturbance").cast<float>();
  const auto decoded = decoder.decode(vectors, items, Seen::sum, 1);
  for (size_t i = 0; i < items.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    SumItem best;
    for (Index t = 0; t < 70; ++t) {
      for (Index p = 0; p < 9; ++p) {
        for (Index s = 0; s < 2; ++s) {
          const Eigen::RowVectorXd sum = tokens.row(t) + positions.row(p) + segments.row(s);
          const double distance = (vectors.row(static_cast<Index>(i)).cast<double>() - sum).norm();
          if (distance < nearest) {
            nearest = distance;
            best = {t, p, s};
          }
        }
      }
    }
    const bool is_truth =
        best.token == items[i].token && best.position == items[i].position && best.segment == items[i].segment;
    CHECK(decoded[i].exact == is_truth);
    if (is_truth) continue;
    CHECK(decoded[i].other.token == best.token);
    CHECK(decoded[i].other.position == best.position);
    CHECK(decoded[i].other.segment == best.segment);
  }
}

TEST_CASE("sums of random tables decode as often as was computed elsewhere") {
  constexpr double kDraws = 0.08;  // one draw of the tables and 400 sums, beside one draw with NumPy
  CHECK(random_rate(4, 0, Seen::sum) == 1);
  CHECK(std::abs(random_rate(4, 0.1, Seen::sum) - 0.115) < kDraws);
  CHECK(std::abs(random_rate(8, 0.1, Seen::sum) - 0.97) < kDraws);
  CHECK(random_rate(16, 0.1, Seen::sum) > 0.99);
  CHECK(std::abs(random_rate(16, 0.3, Seen::sum) - 0.725) < kDraws);
  CHECK(random_rate(64, 0.3, Seen::sum) > 0.97);
  CHECK(random_rate(3, 0.01, Seen::normalised) < 0.02);
  CHECK(std::abs(random_rate(4, 0.01, Seen::normalised) - 0.11) < kDraws);
  CHECK(std::abs(random_rate(5, 0.01, Seen::normalised) - 0.96) < kDraws);
  CHECK(random_rate(8, 0.01, Seen::normalised) > 0.99);
}
