#include "lab/experiments/path/course.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "lab/experiments/path/winding.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/spectral_lines.hpp"

namespace summand::lab {

namespace path {
namespace {

using Eigen::Index;

/// Of what a wave leaves: a path at the rows' own pace that leaves less tells how their radius grows.
constexpr double kFarLess = 0.5;
constexpr int kRefined = 20;  // frequencies within one step of the grid, to either side of the best

/// How the angle grows along the positions: evenly, or so that a spiral that starts, or ends, at its centre takes equal
/// steps: with the root of the position from there.
enum class Pace { even, equal_steps_outwards, equal_steps_inwards };
constexpr Pace kPaces[]{Pace::even, Pace::equal_steps_outwards, Pace::equal_steps_inwards};

/// From 0 to 1. @param share  of the positions, likewise
double angle_share(Pace pace, double share) {
  switch (pace) {
    case Pace::even:
      return share;
    case Pace::equal_steps_outwards:
      return std::sqrt(share);
    case Pace::equal_steps_inwards:
      return 1 - std::sqrt(1 - share);
  }
  return share;
}

/// Fewer turns at an uneven pace are what a slow path has as well: random walks, R² .6 of two turns.
double least_turns(Pace pace) {
  return pace == Pace::even ? kLeastTurns : kLeastUnevenTurns;
}

/// Curves at some positions, to which waves of one pace are fitted by least squares: of constant size (a circle, or an
/// ellipse), or of a size that grows evenly along the positions.
class WaveFit {
 public:
  /// @param curves  [rows, curves], centred
  WaveFit(Table curves, const std::vector<size_t>& at, Pace pace = Pace::even)
      : curves_(std::move(curves)), energy_(curves_.colwise().squaredNorm()), time_(curves_.rows()), pace_(pace) {
    span_ = static_cast<double>(at.back() - at.front() + 1);
    for (Index i = 0; i < time_.size(); ++i) {
      time_(i) = 2 * static_cast<double>(at[static_cast<size_t>(i)] - at.front()) / (span_ - 1) - 1;
    }
  }

  struct Fit {
    double turns = 0;
    Vector explained;      ///< [curves], of their energy
    double growth = 1;     ///< of the waves' size over all curves, from the smaller end to the larger
    double roundness = 0;  ///< of the ellipse, at the larger end
    Eigen::MatrixXd solution;
  };

  [[nodiscard]] Fit circle(double turns) const { return fitted(turns, 3); }
  [[nodiscard]] Fit spiral(double turns) const { return fitted(turns, 5); }

  /// The R² of some of the curves together; 0 if what they do together is to swing to and fro.
  [[nodiscard]] double r2(const Fit& fit, const std::vector<Index>& of) const {
    if (fit.roundness < kLeastRoundness) return 0;
    double explained = 0;
    double energy = 0;
    for (const Index curve : of) {
      explained += fit.explained(curve);
      energy += energy_(curve);
    }
    return energy > 0 ? explained / energy : 0;
  }

  /// How the curves' distance from the centre grows, along the wave and by its size: the same all along where the wave
  /// is all that there is.
  [[nodiscard]] Growing growing(const Fit& fit) const {
    const Eigen::MatrixXd basis = basis_of(fit.turns, fit.solution.rows());
    const Index waves = basis.cols() - 1;
    const Eigen::MatrixXd wave = basis.rightCols(waves) * fit.solution.bottomRows(waves);
    const Eigen::MatrixXd around = curves_.rowwise() - fit.solution.row(0);
    Vector radii(curves_.rows());
    for (Index i = 0; i < radii.size(); ++i) {
      Eigen::MatrixXd here = fit.solution.middleRows(1, 2);
      if (waves == 4) here += time_(i) * fit.solution.middleRows(3, 2);
      const double squares = wave.row(i).squaredNorm();
      radii(i) = squares > 0 ? around.row(i).dot(wave.row(i)) / squares * here.norm() : 0;
    }
    return growing_of(radii);
  }

  /// The frequency from `least` turns to half a turn a step at which a score is largest.
  template <class Score>
  [[nodiscard]] double best_turns(double least, const Score& score) const {
    const double most = span_ / 2 - kTurnStep;
    double best = least;
    double value = score(least);
    const auto look = [&](double turns) {
      if (const double found = score(turns); found > value) {
        value = found;
        best = turns;
      }
    };
    for (double turns = least + kTurnStep; turns <= most; turns += kTurnStep) look(turns);
    const double middle = best;
    for (int i = -kRefined; i <= kRefined; ++i) look(std::clamp(middle + kTurnStep * i / kRefined, least, most));
    return best;
  }

 private:
  [[nodiscard]] Eigen::MatrixXd basis_of(double turns, Index waves) const {
    Eigen::MatrixXd basis(curves_.rows(), waves);
    for (Index i = 0; i < basis.rows(); ++i) {
      const double angle =
          2 * std::numbers::pi * turns * angle_share(pace_, std::min(1.0, (time_(i) + 1) / 2)) * (span_ - 1) / span_;
      basis(i, 0) = 1;
      basis(i, 1) = std::cos(angle);
      basis(i, 2) = std::sin(angle);
      if (waves < 5) continue;
      basis(i, 3) = time_(i) * basis(i, 1);
      basis(i, 4) = time_(i) * basis(i, 2);
    }
    return basis;
  }

  [[nodiscard]] Fit fitted(double turns, Index waves) const {
    const Eigen::MatrixXd basis = basis_of(turns, waves);
    const Eigen::MatrixXd with_curves = basis.transpose() * curves_;
    const Eigen::MatrixXd solution = (basis.transpose() * basis).ldlt().solve(with_curves);
    Fit fit;
    fit.turns = turns;
    fit.explained = with_curves.cwiseProduct(solution).colwise().sum().transpose();
    Eigen::MatrixXd wave = solution.middleRows(1, 2);
    if (waves == 5) {
      const Eigen::MatrixXd first = wave - solution.middleRows(3, 2);
      const Eigen::MatrixXd last = wave + solution.middleRows(3, 2);
      wave = first.norm() > last.norm() ? first : last;
      fit.growth = wave.norm() / std::max(std::min(first.norm(), last.norm()), 1e-9 * wave.norm());
    }
    fit.roundness = roundness_of(wave * wave.transpose());
    fit.solution = solution;
    return fit;
  }

  Table curves_;
  Vector energy_;  ///< [curves]
  Vector time_;    ///< [rows], from −1 at the first position to 1 at the last
  Pace pace_;
  double span_ = 0;
};

double line_r2(const Vector& curve, const std::vector<size_t>& at) {
  Vector time(curve.size());
  for (Index i = 0; i < time.size(); ++i) time(i) = static_cast<double>(at[static_cast<size_t>(i)]);
  time.array() -= time.mean();
  const Vector around = curve.array() - curve.mean();
  const double along = time.dot(around);
  return along * along / (time.squaredNorm() * around.squaredNorm());
}

/// R² of a line through y against x, both by distance, of distances 1 … `farthest` (0 tells nothing), every distance
/// weighing as many pairs as it has.
double line_r2(const Vector& x, const Vector& y, Index farthest) {
  const auto pairs = static_cast<double>(x.size());
  const Vector weights = Vector::LinSpaced(farthest, pairs - 1, pairs - static_cast<double>(farthest));
  const auto around = [&](const Vector& values) -> Vector {
    const Vector here = values.segment(1, farthest);
    return here.array() - weights.dot(here) / weights.sum();
  };
  const Vector of_x = around(x);
  const Vector of_y = around(y);
  const double xy = (of_x.array() * of_y.array() * weights.array()).sum();
  const double xx = (of_x.array().square() * weights.array()).sum();
  const double yy = (of_y.array().square() * weights.array()).sum();
  return xx > 0 && yy > 0 && xy > 0 ? xy * xy / (xx * yy) : 0;
}

/// Of the nearest distances, of twice as many, and so on, as far as there are, what n − m tells of those within two
/// components: the R² of their means, or their own share beside that of all components', whichever is less. Means alone
/// would look the same where one side of a circle is seen.
double least_told_nearby(const PairTable& within, const PairTable& all) {
  const Vector means_within = means_by_distance(within);
  const Vector means = means_by_distance(all);
  double least = line_r2(means_within, means, means.size() - 1);
  for (size_t farthest = kNearest; static_cast<Index>(farthest) < means.size() - 1; farthest *= 2) {
    const double of_all = share_by_distance(all, farthest);
    const double share = of_all > 0 ? share_by_distance(within, farthest) / of_all : 0;
    least = std::min({least, share, line_r2(means_within, means, static_cast<Index>(farthest))});
  }
  return least;
}

/// The smaller of a line's R² along an axis and a circle's across it, the axis being the line of the best helix of so
/// many turns: components lie along and across it only where the spreads are far apart.
double helix_r2(const Table& scores, const std::vector<size_t>& at, double turns) {
  const double span = static_cast<double>(at.back() - at.front() + 1);
  Eigen::MatrixXd basis(scores.rows(), 4);
  for (Index i = 0; i < basis.rows(); ++i) {
    const auto place = static_cast<double>(at[static_cast<size_t>(i)] - at.front());
    const double angle = 2 * std::numbers::pi * turns * place / span;
    basis.row(i) << 1, 2 * place / (span - 1) - 1, std::cos(angle), std::sin(angle);
  }
  const Eigen::MatrixXd solution = (basis.transpose() * basis).ldlt().solve(basis.transpose() * scores);
  const Vector along = solution.row(1).transpose();
  if (along.norm() == 0) return 0;
  const Vector axis = along.normalized();
  const Vector line = scores * axis;
  const Table across = scores - line * axis.transpose();
  const WaveFit fit(across, at);
  return std::min(line_r2(line, at), fit.r2(fit.circle(turns), {0, 1, 2}));
}

/// A wave that grows.
struct Found {
  double r2 = 0;
  bool grows_one_way = false;  ///< by more than one step
};

/// @param two  the rows in their first two components
void add_turning(const PlacedRows& two, Course& course) {
  const Circles circles = circles_of(two);
  course.ring = circles.share();
  if (!circles.circles.empty()) course.angle = circles.circles.front().pace * 180 / std::numbers::pi;
}

}  // namespace

Course course_of(const PlacedRows& rows) {
  const auto components = principal_components(rows.rows, static_cast<size_t>(kComponents));
  const Table& scores = components.scores;
  const Index count = scores.cols();
  Course course;
  course.first_two = components.shares.head(std::min<Index>(2, count)).sum();
  const PairTable distances = squared_distances(rows);
  course.told_by_all = share_by_distance(distances);
  const PlacedRows two{.rows = scores.leftCols(std::min<Index>(2, count)), .at = rows.at};
  const PairTable within = squared_distances(two);
  const Vector means_within = means_by_distance(within);
  const Vector means = means_by_distance(distances);
  const double shown = line_r2(means_within, means, means.size() - 1);
  course.told_nearby = least_told_nearby(within, distances);
  // Means alone would look the same where a half of each of two circles is seen.
  course.told_by_two = std::min(shown, course.told_by_all > 0 ? share_by_distance(within) / course.told_by_all : 0);
  if (count < 2) return course;
  add_turning(two, course);

  const WaveFit fit(scores, rows.at);
  const std::vector<Index> plane{0, 1};
  const auto circle = [&](double turns) { return fit.r2(fit.circle(turns), plane); };
  const double by_circle = circle(fit.best_turns(1, circle));
  // A ring whose radius comes and goes, and a swing, have their R² from going round alone.
  const Winding winding = winding_of(two);
  course.winding = winding.r2;
  course.growth = winding.growth;
  const double of_winding = std::min(winding.r2, winding.radius_r2);
  const bool grows = winding.growth >= kLeastGrowth && winding.one_step < kOneStep;
  if (winding.turns >= kLeastUnevenTurns && grows) {
    course.spiral = of_winding;
  } else if (winding.turns >= kLeastTurns && winding.growth >= kNearGrowth) {
    course.near = of_winding;
  }
  for (const Pace pace : kPaces) {
    const WaveFit in_two(scores.leftCols(2), rows.at, pace);
    /// The largest R² of a wave of such a growth: of its own, or of the rows' where a path at their pace leaves far
    /// less.
    const auto found = [&](double least, double below) {
      const auto score = [&](double turns) {
        const auto waves = in_two.spiral(turns);
        const double r2 = in_two.r2(waves, plane);
        const bool at_own_pace = 1 - winding.r2 < kFarLess * (1 - r2);
        const double growth = at_own_pace ? std::min(waves.growth, winding.growth) : waves.growth;
        return growth >= least && growth < below ? r2 : 0;
      };
      const double turns = in_two.best_turns(least_turns(pace), score);
      const Growing growing = in_two.growing(in_two.spiral(turns));
      const double r2 = score(turns);
      // Where a path at the rows' own pace tells as much, its ends have to grow as well.
      const bool ends_grow = winding.r2 < r2 || winding.growth >= kLeastGrowth;
      return Found{r2, ends_grow && growing.r2 >= kGrowsOneWay && growing.one_step < kOneStep};
    };
    const Found spiral = found(kLeastGrowth, std::numeric_limits<double>::infinity());
    // A ring of few turns is fitted by half at another pace, too.
    if (pace == Pace::even || spiral.r2 > by_circle) {
      double& counts_as = spiral.grows_one_way ? course.spiral : course.near;
      counts_as = std::max(counts_as, spiral.r2);
    }
    if (pace == Pace::even) course.near = std::max(course.near, found(kNearGrowth, kLeastGrowth).r2);
  }
  if (count == kComponents) {
    const auto helix = [&](double turns) { return helix_r2(scores, rows.at, turns); };
    course.helix = helix(fit.best_turns(kLeastTurns, helix));
    const WindingHelix uneven = winding_helix_of({.rows = scores, .at = rows.at});
    if (uneven.turns >= kLeastUnevenTurns) {
      course.helix = std::max(course.helix, uneven.r2);
    } else if (uneven.turns >= kLeastTurns) {
      course.near = std::max(course.near, uneven.r2);
    }
  }
  return course;
}

}  // namespace path

}  // namespace summand::lab
