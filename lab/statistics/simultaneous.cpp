#include "lab/statistics/simultaneous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// The largest of all means, over its standard error, when some items' signs are flipped.
double largest_flipped(const Table& deviations, const Vector& squares, RandomStream& stream) {
  const auto items = static_cast<double>(deviations.rows());
  Vector signs(deviations.rows());
  for (double& sign : signs) sign = stream.below(2) == 0 ? -1 : 1;
  const Vector means = deviations.transpose() * signs / items;
  double largest = 0;
  for (Eigen::Index i = 0; i < means.size(); ++i) {
    const double variance = (squares(i) - items * means(i) * means(i)) / (items - 1) / items;
    if (variance > 0) largest = std::max(largest, std::abs(means(i)) / std::sqrt(variance));
  }
  return largest;
}

}  // namespace

SimultaneousMeans simultaneous_means(const Table& samples, const Draws& draws) {
  require(samples.rows() >= 2 && samples.cols() > 0 && draws.count > 0, "simultaneous means",
          fmt::format("expected two items, a quantity and a draw or more, got {}, {} and {}", samples.rows(),
                      samples.cols(), draws.count));
  const auto items = static_cast<double>(samples.rows());
  const Table deviations = centred(samples);
  const Vector squares = deviations.colwise().squaredNorm();
  SimultaneousMeans means{.mean = column_means(samples), .error = (squares / (items - 1) / items).cwiseSqrt()};
  means.bound =
      quantile(drawn(draws, [&](RandomStream& stream) { return largest_flipped(deviations, squares, stream); }), 0.95);
  return means;
}

}  // namespace summand::lab
