#include "lab/statistics/antisymmetric_network.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Source: Kingma & Ba 2015, algorithm 1
constexpr double kFirstDecay = 0.9;
constexpr double kSecondDecay = 0.999;
constexpr double kEpsilon = 1e-8;

/// Both moments of one parameter's gradient.
template <class Parameter>
class Adam {
 public:
  explicit Adam(const Parameter& parameter)
      : first_(Parameter::Zero(parameter.rows(), parameter.cols())), second_(first_) {}

  void step(Parameter& parameter, const Parameter& gradient, double rate, int time) {
    first_ = kFirstDecay * first_ + (1 - kFirstDecay) * gradient;
    second_ = kSecondDecay * second_ + (1 - kSecondDecay) * gradient.cwiseAbs2();
    const double first_scale = 1 / (1 - std::pow(kFirstDecay, time));
    const double second_scale = 1 / (1 - std::pow(kSecondDecay, time));
    parameter.array() -= rate * first_scale * first_.array() / ((second_scale * second_.array()).sqrt() + kEpsilon);
  }

 private:
  Parameter first_;
  Parameter second_;
};

Table standardised(const AntisymmetricNetwork& network, const Table& table) {
  require(table.cols() == network.input_mean.size(), "antisymmetric network",
          "expected a table of the width that was fitted");
  return (table.rowwise() - network.input_mean.transpose()) * network.input_scale.asDiagonal();
}

std::vector<Pair> swapped(std::span<const Pair> pairs) {
  std::vector<Pair> result(pairs.begin(), pairs.end());
  for (Pair& pair : result) std::swap(pair.a, pair.b);
  return result;
}

Table activations(const AntisymmetricNetwork& network, const Table& features) {
  const Table sums = (features * network.first).rowwise() + network.first_offset.transpose();
  return sums.array().tanh();
}

struct Trainer {
  AntisymmetricNetwork& network;
  Adam<Table> first{network.first};
  Adam<Vector> first_offset{network.first_offset};
  Adam<Vector> second{network.second};
  int time = 0;

  void step(const Table& inputs, std::span<const Pair> batch, double rate) {
    const Table one = pair_features(inputs, batch);
    const Table other = pair_features(inputs, swapped(batch));
    const Table of_one = activations(network, one);
    const Table of_other = activations(network, other);
    const Vector predicted = (of_one - of_other) * network.second;
    const Vector error = (predicted - pair_distances(batch) / network.unit) * (2.0 / static_cast<double>(batch.size()));
    const Table back = error * network.second.transpose();
    const Table into_one = back.array() * (1 - of_one.array().square());
    const Table into_other = -back.array() * (1 - of_other.array().square());
    const Vector of_second = (of_one - of_other).transpose() * error;
    const Table of_first = one.transpose() * into_one + other.transpose() * into_other;
    const Vector of_offset = (into_one + into_other).colwise().sum().transpose();
    ++time;
    first.step(network.first, of_first, rate, time);
    first_offset.step(network.first_offset, of_offset, rate, time);
    second.step(network.second, of_second, rate, time);
  }
};

/// Uniform, of variance 2 / (inputs + outputs).
template <class Parameter>
void draw(Parameter& parameter, RandomStream& stream) {
  const double bound = std::sqrt(6.0 / static_cast<double>(parameter.rows() + parameter.cols()));
  for (Index i = 0; i < parameter.size(); ++i) parameter.data()[i] = bound * (2 * stream.uniform() - 1);
}

AntisymmetricNetwork drawn_network(const Table& table, std::span<const Pair> pairs, size_t hidden,
                                   RandomStream& stream) {
  std::vector<Index> seen;
  for (const Pair& pair : pairs) {
    require(std::max(pair.a, pair.b) < static_cast<size_t>(table.rows()), "antisymmetric network",
            "expected positions of the table");
    seen.push_back(static_cast<Index>(pair.a));
    seen.push_back(static_cast<Index>(pair.b));
  }
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  const Table rows = table(seen, Eigen::all);

  AntisymmetricNetwork network;
  network.input_mean = column_means(rows);
  network.input_scale = column_deviations(rows).unaryExpr([](double sd) { return sd > 0 ? 1 / sd : 0.0; });
  network.unit = std::sqrt(pair_distances(pairs).squaredNorm() / static_cast<double>(pairs.size()));
  const auto width = static_cast<Index>(hidden);
  network.first.resize(2 * table.cols(), width);
  network.first_offset = Vector::Zero(width);
  network.second.resize(width);
  draw(network.first, stream);
  draw(network.second, stream);
  return network;
}

}  // namespace

AntisymmetricNetwork fit_antisymmetric_network(const Table& table, std::span<const Pair> pairs,
                                               const NetworkSettings& settings, RandomStream& stream) {
  require(!pairs.empty() && settings.hidden > 0 && settings.batch > 0 && settings.epochs > 0, "antisymmetric network",
          "expected pairs, hidden units, epochs and batches of 1 or more");
  AntisymmetricNetwork network = drawn_network(table, pairs, settings.hidden, stream);
  require(network.unit > 0, "antisymmetric network", "expected pairs of different positions");
  if (settings.unit == TargetUnit::position) network.unit = 1;
  const Table inputs = standardised(network, table);
  std::vector<Pair> order(pairs.begin(), pairs.end());
  Trainer trainer{network};
  const size_t batches = (order.size() + settings.batch - 1) / settings.batch;
  const double steps = static_cast<double>(batches) * settings.epochs;
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    stream.shuffle(std::span(order));
    for (size_t at = 0; at < order.size(); at += settings.batch) {
      const double done = trainer.time / steps;
      const double rate = settings.learning_rate * (1 + std::cos(std::numbers::pi * done)) / 2;
      trainer.step(inputs, std::span(order).subspan(at, std::min(settings.batch, order.size() - at)), rate);
    }
    settings.progress(static_cast<double>(epoch + 1) / settings.epochs);
  }
  return network;
}

Vector AntisymmetricNetwork::predict(const Table& table, std::span<const Pair> pairs) const {
  const Table inputs = standardised(*this, table);
  const Table difference =
      activations(*this, pair_features(inputs, pairs)) - activations(*this, pair_features(inputs, swapped(pairs)));
  return unit * difference * second;
}

}  // namespace summand::lab
