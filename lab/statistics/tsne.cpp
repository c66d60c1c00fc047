#include "lab/statistics/tsne.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/statistics/lbfgs.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/neighbours.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr int kBisections = 100;
constexpr double kEntropyTolerance = 1e-10;
constexpr double kStartDeviation = 1e-4;
constexpr double kLeastGain = 0.01;
constexpr double kLeastRate = 50;
/// Attraction and repulsion, which cancel, are of the order of 1e-3 for some hundred rows.
constexpr double kAtRest = 1e-8;

/// P(other | row) at a precision, and its entropy in nats; the nearest other row is subtracted first, so that not all
/// underflow.
double conditional(Eigen::ArrayXd& p, const Eigen::ArrayXd& squares, Index row, double precision) {
  p = (-precision * squares).exp();
  p(row) = 0;
  const double sum = p.sum();
  const double entropy = std::log(sum) + precision * (p * squares).sum() / sum;
  p /= sum;
  return entropy;
}

/// Bisection for the precision whose perplexity is the wanted one.
Eigen::ArrayXd conditional_at(Eigen::ArrayXd squares, Index row, double perplexity) {
  squares(row) = std::numeric_limits<double>::max();
  squares -= squares.minCoeff();
  squares(row) = 0;
  const double others = static_cast<double>(squares.size() - 1);
  const double scale = squares.sum() / others;
  Eigen::ArrayXd p;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double precision = scale > 0 ? 1 / scale : 1;
  for (int i = 0; i < kBisections; ++i) {
    const double excess = conditional(p, squares, row, precision) - std::log(perplexity);
    if (std::abs(excess) < kEntropyTolerance) break;
    (excess > 0 ? low : high) = precision;
    precision = std::isinf(high) ? 2 * precision : (low + high) / 2;
  }
  return p;
}

/// Student's kernel of all pairs, diagonal 0, and its sum.
double student_kernel(const Table& embedding, Table& kernel) {
  const Index n = embedding.rows();
  kernel.setOnes(n, n);
  const Eigen::MatrixXd columns = embedding;
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < columns.cols(); ++d) {
      kernel.row(i).array() += (columns.col(d).array() - columns(i, d)).square().transpose();
    }
    kernel.row(i) = kernel.row(i).cwiseInverse();
    kernel(i, i) = 0;
  }
  return kernel.sum();
}

/// 4 Σ_j (e·p_ij − q_ij)·w_ij·(y_i − y_j), e the exaggeration; `work` is overwritten.
void gradient_into(const Table& joint, double exaggeration, const Table& embedding, Table& work, Table& gradient) {
  const double sum = student_kernel(embedding, work);
  work.array() *= exaggeration * joint.array() - work.array() / sum;
  gradient = 4 * (work.rowwise().sum().asDiagonal() * embedding - work * embedding);
}

/// KL(P‖Q) from Student's kernel and its sum.
double divergence(const Table& joint, const Table& kernel, double sum) {
  double divergence = 0;
  for (Index i = 0; i < joint.size(); ++i) {
    const double p = joint.data()[i];
    if (p > 0) divergence += p * std::log(p * sum / kernel.data()[i]);
  }
  return divergence;
}

/// Momentum and gains as in the authors' program: a coordinate whose gradient keeps its sign gains speed.
struct Descent {
  Table update;
  Table gains;

  void step(Table& embedding, const Table& gradient, double momentum, double rate) {
    for (Index i = 0; i < embedding.size(); ++i) {
      const double slope = gradient.data()[i];
      double& gain = gains.data()[i];
      gain = update.data()[i] * slope < 0 ? gain + 0.2 : std::max(kLeastGain, gain * 0.8);
      update.data()[i] = momentum * update.data()[i] - rate * gain * slope;
    }
    embedding += update;
  }
};

/// L-BFGS from an embedding to the bottom of its valley.
Minimum settled(const Table& joint, const Table& start, int iterations) {
  Table y(start.rows(), start.cols());
  Table work;
  Table slope;
  const auto objective = [&](const Vector& at, Vector& gradient) {
    y.reshaped<Eigen::RowMajor>() = at;
    const double sum = student_kernel(y, work);
    const double value = divergence(joint, work, sum);
    gradient_into(joint, 1, y, work, slope);
    gradient = slope.reshaped<Eigen::RowMajor>();
    return value;
  };
  return minimise(objective, start.reshaped<Eigen::RowMajor>(), kAtRest, iterations);
}

}  // namespace

Table joint_probabilities(const Table& table, double perplexity) {
  const auto rows = static_cast<double>(table.rows());
  require(perplexity >= 1 && perplexity < rows, "t-SNE",
          fmt::format("expected a perplexity from 1 to below {} rows, got {}", table.rows(), perplexity));
  const Table squares = squared_distances(table);
  Table p(table.rows(), table.rows());
  for (Index row = 0; row < table.rows(); ++row) {
    p.row(row) = conditional_at(squares.row(row).transpose().array(), row, perplexity).matrix().transpose();
  }
  return (p + p.transpose()) / (2 * rows);
}

double tsne_objective(const Table& joint, const Table& embedding) {
  Table kernel;
  const double sum = student_kernel(embedding, kernel);
  return divergence(joint, kernel, sum);
}

Table tsne_gradient(const Table& joint, const Table& embedding) {
  Table work;
  Table gradient;
  gradient_into(joint, 1, embedding, work, gradient);
  return gradient;
}

TsneResult tsne(const Table& table, const TsneSettings& settings) {
  const Table joint = joint_probabilities(table, settings.perplexity);
  Table y = principal_components(table, settings.dimensions).scores;
  require(static_cast<size_t>(y.cols()) == settings.dimensions, "t-SNE",
          fmt::format("expected a table of rank {} or more, got {}", settings.dimensions, y.cols()));
  y *= kStartDeviation / column_deviations(y)(0);

  Descent descent{Table::Zero(y.rows(), y.cols()), Table::Ones(y.rows(), y.cols())};
  const double rate = std::max(kLeastRate, static_cast<double>(table.rows()) / (4 * settings.exaggeration));
  const double steps = settings.iterations + settings.final_iterations;
  Table work;
  Table gradient;
  for (int i = 0; i < settings.iterations; ++i) {
    const bool exaggerated = i < settings.exaggerated_iterations;
    gradient_into(joint, exaggerated ? settings.exaggeration : 1, y, work, gradient);
    descent.step(y, gradient, exaggerated ? 0.5 : 0.8, rate);
    if (i % 50 == 0) settings.progress(i / steps);
  }
  const auto minimum = settled(joint, centred(y), settings.final_iterations);
  settings.progress(1);
  return {minimum.at.reshaped<Eigen::RowMajor>(y.rows(), y.cols()), minimum.value, minimum.gradient};
}

}  // namespace summand::lab
