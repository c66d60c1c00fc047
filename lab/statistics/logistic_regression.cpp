#include "lab/statistics/logistic_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/thread_pool.hpp"
#include "lab/statistics/lbfgs.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Rows are summed in chunks of this many, whatever the threads: so are the roundings.
constexpr Index kChunk = 1024;

/// Weights and offsets lie in one vector: [columns + 1, logits], row-major, the offsets last.
using Parameters = Eigen::Map<const Table>;

/// log Σ exp of one row of logits and a logit of 0 where `with_zero`; turns the row into probabilities.
double softmax(Eigen::Ref<Eigen::RowVectorXd> logits, double zero_counts) {
  double top = logits.maxCoeff();
  if (zero_counts > 0) top = std::max(top, 0.0);
  logits = (logits.array() - top).exp();
  const double sum = logits.sum() + zero_counts * std::exp(-top);
  logits /= sum;
  return top + std::log(sum);
}

/// Negative log likelihood of a chunk of rows, and its gradient.
struct Chunk {
  Table gradient;
  double loss = 0;
};

class Likelihood {
 public:
  Likelihood(const Table& inputs, std::span<const int32_t> labels, size_t classes, const LogisticSettings& settings)
      : inputs_(inputs), labels_(labels), binary_(classes == 2), settings_(settings) {
    logits_ = binary_ ? 1 : static_cast<Index>(classes);
    chunks_.resize(static_cast<size_t>((inputs.rows() + kChunk - 1) / kChunk));
  }

  [[nodiscard]] Index size() const { return (inputs_.cols() + 1) * logits_; }
  [[nodiscard]] Index logits() const { return logits_; }

  double operator()(const Vector& at, Vector& gradient) {
    const Parameters parameters(at.data(), inputs_.cols() + 1, logits_);
    ThreadPool::shared().run(chunks_.size(), std::max(1, settings_.threads),
                             [&](size_t chunk, int) { work(static_cast<Index>(chunk), parameters); });
    const auto rows = static_cast<double>(inputs_.rows());
    const Index weights = inputs_.cols() * logits_;
    double loss = settings_.penalty / 2 * at.head(weights).squaredNorm();
    gradient.resize(at.size());
    gradient << settings_.penalty * at.head(weights), Vector::Zero(logits_);
    for (const Chunk& chunk : chunks_) {
      loss += chunk.loss;
      gradient += chunk.gradient.reshaped<Eigen::RowMajor>();
    }
    gradient /= rows;
    return loss / rows;
  }

 private:
  void work(Index number, const Parameters& parameters) {
    const Index first = number * kChunk;
    const Index rows = std::min(kChunk, inputs_.rows() - first);
    const auto x = inputs_.middleRows(first, rows);
    Table errors = (x * parameters.topRows(inputs_.cols())).rowwise() + parameters.row(inputs_.cols());
    Chunk& chunk = chunks_[static_cast<size_t>(number)];
    chunk.loss = 0;
    for (Index row = 0; row < rows; ++row) {
      const int32_t label = labels_[static_cast<size_t>(first + row)];
      const bool absent = binary_ && label == 0;
      const Index at = binary_ ? 0 : label;
      const double own = absent ? 0 : errors(row, at);
      chunk.loss += softmax(errors.row(row), binary_ ? 1 : 0) - own;
      if (!absent) errors(row, at) -= 1;
    }
    chunk.gradient.resize(inputs_.cols() + 1, logits_);
    chunk.gradient.topRows(inputs_.cols()).noalias() = x.transpose() * errors;
    chunk.gradient.row(inputs_.cols()) = errors.colwise().sum();
  }

  const Table& inputs_;
  std::span<const int32_t> labels_;
  bool binary_;
  const LogisticSettings& settings_;
  Index logits_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace

LogisticModel fit_logistic(const Table& inputs, std::span<const int32_t> labels, size_t classes,
                           const LogisticSettings& settings) {
  require(inputs.rows() > 0 && static_cast<size_t>(inputs.rows()) == labels.size(), "logistic regression",
          "expected a label for every row");
  require(classes >= 2 && settings.penalty >= 0, "logistic regression",
          "expected two classes or more and a penalty of 0 or more");
  require(
      std::ranges::all_of(labels, [&](int32_t label) { return label >= 0 && static_cast<size_t>(label) < classes; }),
      "logistic regression", fmt::format("expected labels below {}", classes));
  Likelihood likelihood(inputs, labels, classes, settings);
  const auto minimum = minimise([&](const Vector& at, Vector& gradient) { return likelihood(at, gradient); },
                                Vector::Zero(likelihood.size()), settings.tolerance, settings.iterations);
  const Parameters parameters(minimum.at.data(), inputs.cols() + 1, likelihood.logits());
  return {parameters.topRows(inputs.cols()), parameters.row(inputs.cols()).transpose(), minimum.value, minimum.gradient,
          minimum.gradient <= settings.tolerance};
}

Table LogisticModel::probabilities(const Table& inputs) const {
  require(inputs.cols() == weights.rows(), "logistic regression", "expected inputs of the width that was fitted");
  const bool binary = weights.cols() == 1;
  Table logits = (inputs * weights).rowwise() + offset.transpose();
  for (Index row = 0; row < logits.rows(); ++row) softmax(logits.row(row), binary ? 1 : 0);
  if (!binary) return logits;
  Table both(logits.rows(), 2);
  both << (1 - logits.array()).matrix(), logits;
  return both;
}

std::vector<int32_t> LogisticModel::predict(const Table& inputs) const {
  const Table p = probabilities(inputs);
  std::vector<int32_t> classes(static_cast<size_t>(p.rows()));
  for (Index row = 0; row < p.rows(); ++row) {
    Index best = 0;
    p.row(row).maxCoeff(&best);
    classes[static_cast<size_t>(row)] = static_cast<int32_t>(best);
  }
  return classes;
}

double accuracy(std::span<const int32_t> predicted, std::span<const int32_t> labels) {
  require(predicted.size() == labels.size() && !labels.empty(), "accuracy", "expected a prediction for every label");
  size_t met = 0;
  for (size_t i = 0; i < labels.size(); ++i) met += predicted[i] == labels[i];
  return static_cast<double>(met) / static_cast<double>(labels.size());
}

}  // namespace summand::lab
