#include "train/tasks/strata.hpp"

#include <cmath>

namespace summand::train {

namespace {

constexpr double kLeastDivergence = 0.05;  // nats; a reader who is nearer lacks nothing

}  // namespace

double divergence(std::span<const double> p, std::span<const double> q) {
  double sum = 0;
  for (size_t index = 0; index < p.size(); ++index) {
    if (p[index] > 0) sum += p[index] * std::log(p[index] / q[index]);
  }
  return sum;
}

std::vector<std::string> strata(const Matrix<double>& posterior, const HiddenPosteriors& hidden) {
  std::vector<std::string> names;
  for (size_t row = 0; row < posterior.rows(); ++row) {
    double furthest = kLeastDivergence;
    std::string name = "none";
    for (const auto& [what, distributions] : hidden) {
      if (what == kBoundary) continue;
      const double distance = divergence(posterior.row(row), distributions.row(row));
      if (distance <= furthest) continue;
      furthest = distance;
      name = what;
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace summand::train
