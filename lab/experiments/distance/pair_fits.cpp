#include "lab/experiments/distance/pair_fits.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/localize.hpp"
#include "lab/statistics/boosted_trees.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_regression.hpp"

namespace summand::lab {

namespace distance {
namespace {

constexpr double kPenalty = 0.01;

size_t most_pairs(const PairFit& fit) {
  switch (fit.method) {
    case PairMethod::linear:
    case PairMethod::ridge:
      return std::numeric_limits<size_t>::max();
    case PairMethod::trees:
      return fit.limits.tree_pairs;
    case PairMethod::network:
    case PairMethod::unscaled_network:
      return fit.limits.network_pairs;
  }
  return 0;
}

PairSplit split_of(const Table& inputs, const PairFit& fit) {
  RandomStream stream(fit.seed, fit.name + ": split by " + name_of(fit.held_out));
  return split_pairs(static_cast<size_t>(inputs.rows()),
                     {.held_out = fit.held_out, .test_share = kTestShare, .at_most = most_pairs(fit)}, stream);
}

Scores scored(const Vector& predicted, std::span<const Pair> pairs) {
  const Vector truth = pair_distances(pairs);
  return scores(elements(predicted), elements(truth));
}

Scores linear_scores(const Table& inputs, const PairSplit& split, PairMethod method) {
  const double square = centred(inputs).squaredNorm() / static_cast<double>(inputs.size());
  const double penalty = method == PairMethod::ridge ? kPenalty * square * static_cast<double>(split.train.size()) : 0;
  const auto model = fit_pair_regression(inputs, split.train, penalty);
  return scored(model.predict(inputs, split.test), split.test);
}

Scores tree_scores(const Table& inputs, const PairSplit& split, int bins) {
  const auto trees = fit_boosted_trees(pair_features(inputs, split.train), pair_distances(split.train),
                                       {.trees = kTrees, .min_leaf = kLeaf, .bins = bins, .threads = 1});
  return scored(trees.predict(pair_features(inputs, split.test)), split.test);
}

Scores network_scores(const Table& inputs, const PairSplit& split, const PairFit& fit) {
  RandomStream stream(fit.seed, fit.name + ": network");
  const TargetUnit unit =
      fit.method == PairMethod::unscaled_network ? TargetUnit::position : TargetUnit::root_mean_square;
  const auto network = fit_antisymmetric_network(inputs, split.train, {.epochs = kEpochs, .unit = unit}, stream);
  return scored(network.predict(inputs, split.test), split.test);
}

}  // namespace
}  // namespace distance

std::string name_of(PairMethod method) {
  switch (method) {
    case PairMethod::linear:
      return "linear";
    case PairMethod::ridge:
      return "ridge";
    case PairMethod::trees:
      return "trees";
    case PairMethod::network:
      return "network";
    case PairMethod::unscaled_network:
      return "unscaled_network";
  }
  return {};
}

LocalizedText words_of(PairMethod method) {
  return localize("distance.methods." + name_of(method));
}

std::string name_of(HeldOut held_out) {
  switch (held_out) {
    case HeldOut::pairs:
      return "pairs";
    case HeldOut::positions:
      return "positions";
    case HeldOut::block:
      return "block";
  }
  return {};
}

LocalizedText words_of(HeldOut held_out) {
  return localize("distance.splits." + name_of(held_out));
}

Scores score_pairs(const Table& inputs, const PairFit& fit) {
  using namespace distance;
  const PairSplit split = split_of(inputs, fit);
  switch (fit.method) {
    case PairMethod::linear:
    case PairMethod::ridge:
      return linear_scores(inputs, split, fit.method);
    case PairMethod::trees:
      return tree_scores(inputs, split, fit.limits.tree_bins);
    case PairMethod::network:
    case PairMethod::unscaled_network:
      return network_scores(inputs, split, fit);
  }
  return {};
}

Scores score_absolute_twice(const Table& inputs, const PairFit& fit) {
  using namespace distance;
  const PairSplit split = split_of(inputs, fit);
  std::vector<Eigen::Index> seen;
  for (const Pair& pair : split.train) {
    seen.push_back(static_cast<Eigen::Index>(pair.a));
    seen.push_back(static_cast<Eigen::Index>(pair.b));
  }
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  const Vector targets = Vector::NullaryExpr(static_cast<Eigen::Index>(seen.size()), [&](Eigen::Index i) {
    return static_cast<double>(seen[static_cast<size_t>(i)]);
  });
  // A row is one sample here and some forty there: leaves of one row.
  const auto trees = fit_boosted_trees(inputs(seen, Eigen::all), targets,
                                       {.trees = kTrees, .min_leaf = 1, .search = SplitSearch::exact, .threads = 1});
  const Vector position = trees.predict(inputs);
  Vector distances(static_cast<Eigen::Index>(split.test.size()));
  for (size_t i = 0; i < split.test.size(); ++i) {
    distances(static_cast<Eigen::Index>(i)) =
        position(static_cast<Eigen::Index>(split.test[i].b)) - position(static_cast<Eigen::Index>(split.test[i].a));
  }
  return scored(distances, split.test);
}

}  // namespace summand::lab
