#include "lab/experiments/oscillation/waves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lab/statistics/isotonic.hpp"
#include "lab/statistics/principal_components.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kLeastTurns = 0.25;   // under which any parabola is a wave
constexpr double kTurnsApart = 0.125;  // of the frequencies that are tried: a peak is about two turns wide
constexpr Index kFrequenciesAtOnce = 64;
constexpr double kNothing = 1e-6;  // of a wave's length: less is left of it beside the offset and the other wave

/// A cosine and a sine at some positions, orthonormal and, if asked for, orthogonal to a constant; the second is 0
/// where both are one.
struct Pair {
  Vector first;
  Vector second;
};

Vector unit_or_zero(const Vector& wave, double whole) {
  const double length = wave.norm();
  return length > kNothing * whole ? Vector(wave / length) : Vector(Vector::Zero(wave.size()));
}

enum class Offset { without, beside };

Pair orthonormal_pair(Vector cosine, Vector sine, Offset offset) {
  const double whole = std::sqrt(static_cast<double>(cosine.size()));
  if (offset == Offset::beside) {
    cosine.array() -= cosine.mean();
    sine.array() -= sine.mean();
  }
  // The longer one first: at half a cycle a position one of them vanishes.
  if (sine.norm() > cosine.norm()) cosine.swap(sine);
  const Vector first = unit_or_zero(cosine, whole);
  return {.first = first, .second = unit_or_zero(sine - first.dot(sine) * first, whole)};
}

Vector without_pair(const Vector& values, const Pair& pair) {
  return values - pair.first.dot(values) * pair.first - pair.second.dot(values) * pair.second;
}

/// Places from −½ to ½ of all positions.
Vector middle_places(const std::vector<size_t>& at) {
  const auto span = static_cast<double>(at.back() - at.front() + 1);
  Vector places(static_cast<Index>(at.size()));
  for (Index i = 0; i < places.size(); ++i) {
    places(i) = (static_cast<double>(at[static_cast<size_t>(i)] - at.front()) + 0.5) / span - 0.5;
  }
  return places;
}

}  // namespace

ComponentWaves::ComponentWaves(const PlacedRows& rows, size_t most)
    : at_(rows.at), scores_(principal_components(rows.rows, most).scores) {
  waves_ = Table::Zero(scores_.rows(), scores_.cols());
  left_ = scores_.array().square();
  find_frequencies();
  for (Index component = 0; component < scores_.cols(); ++component) fit_stretches(component);
}

void ComponentWaves::find_frequencies() {
  const Vector places = middle_places(at_);
  const double fastest = static_cast<double>(at_.back() - at_.front() + 1) / 2;
  const auto count = static_cast<Index>((fastest - kLeastTurns) / kTurnsApart) + 1;
  const Vector energy = scores_.colwise().squaredNorm();
  turns_ = Vector::Constant(scores_.cols(), kLeastTurns);
  one_ = Vector::Zero(scores_.cols());
  // From one frequency to the next every place turns by the same angle.
  const auto angles = [&](double turns) { return Vector(2 * std::numbers::pi * turns * places); };
  Vector cosine = angles(kLeastTurns).array().cos();
  Vector sine = angles(kLeastTurns).array().sin();
  const Vector step_cosine = angles(kTurnsApart).array().cos();
  const Vector step_sine = angles(kTurnsApart).array().sin();
  Table pairs(2 * kFrequenciesAtOnce, places.size());
  for (Index first = 0; first < count; first += kFrequenciesAtOnce) {
    const Index now = std::min(kFrequenciesAtOnce, count - first);
    const auto turns_at = [&](Index i) { return kLeastTurns + kTurnsApart * static_cast<double>(first + i); };
    for (Index i = 0; i < now; ++i) {
      const Pair pair = orthonormal_pair(cosine, sine, Offset::beside);
      pairs.row(2 * i) = pair.first.transpose();
      pairs.row(2 * i + 1) = pair.second.transpose();
      const Vector turned = cosine.cwiseProduct(step_cosine) - sine.cwiseProduct(step_sine);
      sine = sine.cwiseProduct(step_cosine) + cosine.cwiseProduct(step_sine);
      cosine = turned;
    }
    const Table products = pairs.topRows(2 * now) * scores_;
    for (Index component = 0; component < scores_.cols(); ++component) {
      for (Index i = 0; i < now; ++i) {
        const double explained =
            (std::pow(products(2 * i, component), 2) + std::pow(products(2 * i + 1, component), 2)) / energy(component);
        if (explained <= one_(component)) continue;
        one_(component) = explained;
        turns_(component) = turns_at(i);
      }
    }
  }
}

void ComponentWaves::fit_stretches(Index component) {
  const double turns = turns_(component);
  const auto stretches = std::max<size_t>(1, static_cast<size_t>(std::lround(turns / kCyclesAtATime)));
  const size_t span = at_.back() - at_.front() + 1;
  const Vector angles = 2 * std::numbers::pi * turns * middle_places(at_);
  const Vector curve = scores_.col(component);
  Vector left = curve;                           // less the sinusoids
  Vector constant = Vector::Ones(curve.size());  // less what sinusoids have of it
  Index parameters = 1;
  for (Index begin = 0, end = 0; begin < curve.size(); begin = end) {
    const auto stretch_of = [&](Index i) { return (at_[static_cast<size_t>(i)] - at_.front()) * stretches / span; };
    while (end < curve.size() && stretch_of(end) == stretch_of(begin)) ++end;
    const auto here = angles.segment(begin, end - begin).array();
    const Pair pair = orthonormal_pair(here.cos(), here.sin(), Offset::without);
    left.segment(begin, end - begin) = without_pair(curve.segment(begin, end - begin), pair);
    constant.segment(begin, end - begin) = without_pair(constant.segment(begin, end - begin), pair);
    parameters += (pair.first.squaredNorm() > 0 ? 1 : 0) + (pair.second.squaredNorm() > 0 ? 1 : 0);
  }
  // What is left is least with this offset, whatever the sinusoids take of it.
  const double of_constant = constant.squaredNorm();
  if (of_constant > 0) left -= constant.dot(left) / of_constant * constant;
  waves_.col(component) = curve - left;
  const auto rows = static_cast<double>(curve.size());
  const double free = std::max(1.0, rows - static_cast<double>(parameters));
  left_.col(component) = left.array().square() * (rows - 1) / free;
}

double ComponentWaves::explained(const ComponentRange& range) const {
  std::vector<size_t> all(at_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return explained(range, all);
}

double ComponentWaves::explained(const ComponentRange& range, std::span<const size_t> rows) const {
  double left = 0;
  double all = 0;
  for (Index component = range.from; component < std::min(range.to, components()); ++component) {
    for (const size_t row : rows) {
      left += left_(static_cast<Index>(row), component);
      all += std::pow(scores_(static_cast<Index>(row), component), 2);
    }
  }
  return all > 0 ? 1 - left / all : 0;
}

Interval ComponentWaves::interval(const ComponentRange& range, size_t block, const Draws& draws) const {
  const Interval drawn = block_bootstrap(
      at_.size(), block, [&](std::span<const size_t> rows) { return explained(range, rows); }, draws);
  // Near 1 all draws can lie above the whole.
  const double whole = explained(range);
  return {.low = std::min(drawn.low, whole), .high = std::max(drawn.high, whole)};
}

double ComponentWaves::explained_by_one(const ComponentRange& range) const {
  double explained = 0;
  double all = 0;
  for (Index component = range.from; component < std::min(range.to, components()); ++component) {
    const double energy = scores_.col(component).squaredNorm();
    explained += one_(component) * energy;
    all += energy;
  }
  return all > 0 ? explained / all : 0;
}

double ComponentWaves::explained_one_way(const ComponentRange& range) const {
  double left = 0;
  double all = 0;
  const Vector weights = Vector::Ones(scores_.rows());
  for (Index component = range.from; component < std::min(range.to, components()); ++component) {
    const Vector curve = scores_.col(component);
    const auto left_by = [&](Order order) { return (curve - isotonic(curve, weights, order)).squaredNorm(); };
    left += std::min(left_by(Order::rising), left_by(Order::falling));
    all += curve.squaredNorm();
  }
  return all > 0 ? 1 - left / all : 0;
}

double ComponentWaves::repeating(const ComponentRange& range) const {
  double count = 0;
  for (Index component = range.from; component < std::min(range.to, components()); ++component) {
    count += turns_(component) >= kCyclesAtATime ? 1 : 0;
  }
  return count;
}

}  // namespace summand::lab
