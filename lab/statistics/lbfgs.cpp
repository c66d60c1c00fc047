#include "lab/statistics/lbfgs.hpp"

#include <cmath>
#include <deque>
#include <optional>

namespace summand::lab {

namespace {

constexpr size_t kMemory = 10;
constexpr double kDecrease = 1e-4;
constexpr double kCurvature = 0.9;
constexpr int kTrials = 40;

/// A step and how the gradient changed by it.
struct Correction {
  Vector step;
  Vector change;
  double inverse = 0;  ///< 1 / (step · change)
};

Vector direction(const std::deque<Correction>& memory, const Vector& gradient) {
  Vector q = -gradient;
  std::vector<double> weights(memory.size());
  for (size_t i = memory.size(); i-- > 0;) {
    weights[i] = memory[i].inverse * memory[i].step.dot(q);
    q -= weights[i] * memory[i].change;
  }
  if (!memory.empty()) q /= memory.back().inverse * memory.back().change.squaredNorm();
  for (size_t i = 0; i < memory.size(); ++i) {
    q += (weights[i] - memory[i].inverse * memory[i].change.dot(q)) * memory[i].step;
  }
  return q;
}

struct Point {
  Vector at;
  Vector gradient;
  double value = 0;
};

/// Bisects between a step that is too short and one that is too long until both Wolfe conditions hold; doubles while
/// none was too long. None if no such step was found.
std::optional<Point> line_search(const Objective& objective, const Point& from, const Vector& along, double step) {
  const double slope = from.gradient.dot(along);
  double low = 0;
  double high = 0;
  Point point;
  std::optional<Point> decreased;
  for (int trial = 0; trial < kTrials; ++trial) {
    point.at = from.at + step * along;
    point.value = objective(point.at, point.gradient);
    const double slope_there = point.gradient.dot(along);
    if (!(point.value <= from.value + kDecrease * step * slope)) {
      high = step;
    } else if (slope_there < kCurvature * slope) {
      low = step;
      decreased = point;
    } else if (slope_there > -kCurvature * slope) {
      high = step;
      decreased = point;
    } else {
      return point;
    }
    step = high > 0 ? (low + high) / 2 : 2 * step;
  }
  return decreased;
}

}  // namespace

Minimum minimise(const Objective& objective, Vector start, double tolerance, int iterations) {
  Point point{std::move(start), {}, 0};
  point.value = objective(point.at, point.gradient);
  std::deque<Correction> memory;
  int done = 0;
  while (done < iterations && point.gradient.cwiseAbs().maxCoeff() > tolerance) {
    const Vector along = direction(memory, point.gradient);
    const double step = memory.empty() ? std::min(1.0, 1 / point.gradient.norm()) : 1;
    auto next = line_search(objective, point, along, step);
    if (!next) {
      if (memory.empty()) break;
      // What was remembered no longer fits: once more along the gradient itself.
      memory.clear();
      continue;
    }
    ++done;
    Correction correction{next->at - point.at, next->gradient - point.gradient, 0};
    const double product = correction.step.dot(correction.change);
    if (product > 0) {
      correction.inverse = 1 / product;
      memory.push_back(std::move(correction));
      if (memory.size() > kMemory) memory.pop_front();
    }
    point = std::move(*next);
  }
  const double gradient = point.gradient.cwiseAbs().maxCoeff();
  return {std::move(point.at), point.value, gradient, done};
}

}  // namespace summand::lab
