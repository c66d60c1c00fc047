#include "lab/statistics/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// All ordered pairs of these positions, at most so many of them, in random order.
std::vector<Pair> pairs_among(std::span<const size_t> positions, size_t at_most, RandomStream& stream) {
  std::vector<Pair> pairs;
  pairs.reserve(positions.size() * positions.size());
  for (const size_t a : positions) {
    for (const size_t b : positions) pairs.push_back({a, b});
  }
  stream.shuffle(std::span(pairs));
  pairs.resize(std::min(at_most, pairs.size()));
  return pairs;
}

}  // namespace

PairSplit split_pairs(size_t positions, const PairSettings& settings, RandomStream& stream) {
  require(settings.test_share > 0 && settings.test_share < 1, "pairs", "expected a test share between 0 and 1");
  const auto held_out = static_cast<size_t>(std::lround(settings.test_share * static_cast<double>(positions)));
  require(held_out >= 2 && positions >= held_out + 2, "pairs", "expected two positions or more on either side");
  std::vector<size_t> order(positions);
  std::iota(order.begin(), order.end(), size_t{0});
  switch (settings.held_out) {
    case HeldOut::pairs: {
      auto all = pairs_among(order, positions * positions, stream);
      const auto tested = static_cast<size_t>(settings.test_share * static_cast<double>(all.size()));
      PairSplit split;
      const auto border = all.begin() + static_cast<std::ptrdiff_t>(tested);
      split.test.assign(all.begin(), border);
      split.train.assign(border, all.end());
      split.test.resize(std::min(settings.at_most, split.test.size()));
      split.train.resize(std::min(settings.at_most, split.train.size()));
      return split;
    }
    case HeldOut::positions:
      stream.shuffle(std::span(order));
      break;
    case HeldOut::block:
      // The middle block comes first.
      std::ranges::rotate(order, order.begin() + static_cast<std::ptrdiff_t>((positions - held_out) / 2));
      break;
  }
  const std::span<const size_t> all(order);
  auto train = pairs_among(all.subspan(held_out), settings.at_most, stream);
  auto test = pairs_among(all.first(held_out), settings.at_most, stream);
  return {std::move(train), std::move(test)};
}

Table pair_features(const Table& table, std::span<const Pair> pairs) {
  const auto rows = static_cast<size_t>(table.rows());
  require(std::ranges::all_of(pairs, [&](const Pair& pair) { return pair.a < rows && pair.b < rows; }), "pairs",
          "expected positions of the table");
  Table features(pairs.size(), 2 * table.cols());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    features.row(row) << table.row(static_cast<Eigen::Index>(pairs[i].a)),
        table.row(static_cast<Eigen::Index>(pairs[i].b));
  }
  return features;
}

Vector pair_distances(std::span<const Pair> pairs) {
  Vector distances(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    distances(static_cast<Eigen::Index>(i)) = static_cast<double>(pairs[i].b) - static_cast<double>(pairs[i].a);
  }
  return distances;
}

}  // namespace summand::lab
