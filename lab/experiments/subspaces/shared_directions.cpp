#include "lab/experiments/subspaces/shared_directions.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/subspaces/subspaces_numbers.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/singular_vectors.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace subspaces {
namespace {

constexpr Index kOfTokens = 4;  // a quarter of the dimensions stands for the tokens' subspace
constexpr Index kBins = 16;     // of positions, for the mutual information

constexpr NumberName kAngle{"subspaces", "angle"};
constexpr NumberName kShareInsideTokens{"subspaces", "share_inside_tokens"};
constexpr NumberName kInformation{"subspaces", "information"};
constexpr NumberName kOverlapLast{"subspaces", "overlap_last"};
constexpr NumberName kTokenEnergy{"subspaces", "token_energy"};
constexpr NumberName kSmallestAngle{"subspaces", "smallest_angle"};
constexpr NumberName kMedianAngle{"subspaces", "median_angle"};

/// What the labels say of the directions.
FormatArgs shared_components() {
  return {{"components", kSharedComponents}};
}

Eigen::MatrixXd gram_of(const Table& table) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(table.cols(), table.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(table.transpose());
  return gram.selfadjointView<Eigen::Lower>();
}

/// All directions of a table that hold energy, the one of most first: rows. Of those that hold none no one is special.
Table directions_of(const Eigen::MatrixXd& gram) {
  constexpr double kLeastEnergy = 1e-12;  // beside the largest
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  const Vector& energies = solver.eigenvalues();
  const auto count = (energies.array() > kLeastEnergy * energies.maxCoeff()).count();
  return solver.eigenvectors().rightCols(count).rowwise().reverse().transpose();
}

double energy_inside(const Eigen::MatrixXd& gram, const Table& basis) {
  return (basis * gram * basis.transpose()).trace() / gram.trace();
}

std::vector<double> frames(const Conditions& conditions, const std::string& name, size_t dimensions, Index hidden,
                           const std::function<double(const Table&)>& of) {
  return drawn({.seed = conditions.seed,
                .name = "subspaces: " + name,
                .count = size_of(conditions).rotations,
                .threads = thread_count(conditions)},
               [&](RandomStream& stream) { return of(random_frame(dimensions, static_cast<size_t>(hidden), stream)); });
}

/// I(segment; position) in bits over the corpus' tokens, positions in 16 bins of equal count.
double mutual_information(const std::vector<SumItem>& items, const std::vector<Index>& segment) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return items[i].position; });
  const Index segments = *std::ranges::max_element(segment) + 1;
  Table joint = Table::Zero(kBins, segments);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto bin = static_cast<Index>(rank * static_cast<size_t>(kBins) / order.size());
    joint(bin, segment[order[rank]]) += 1.0 / static_cast<double>(order.size());
  }
  const Vector of_bin = joint.rowwise().sum();
  const Vector of_segment = joint.colwise().sum().transpose();
  double bits = 0;
  for (Index b = 0; b < kBins; ++b) {
    for (Index s = 0; s < segments; ++s) {
      if (joint(b, s) > 0) bits += joint(b, s) * std::log2(joint(b, s) / (of_bin(b) * of_segment(s)));
    }
  }
  return bits;
}

void measure_information(const CorpusItems& corpus, const Conditions& conditions, Numbers& numbers) {
  std::vector<Index> segment;
  std::vector<Index> second_half;
  std::vector<double> places;
  for (const auto& item : corpus.items) places.push_back(static_cast<double>(item.position));
  if (places.size() < 2 * static_cast<size_t>(kBins)) return;
  const double middle = median(places);
  for (const auto& item : corpus.items) {
    segment.push_back(item.segment);
    second_half.push_back(static_cast<double>(item.position) > middle ? 1 : 0);
  }
  std::vector<Index> shuffled = segment;
  RandomStream stream(conditions.seed, "subspaces: segments");
  stream.shuffle(std::span(shuffled));
  numbers.add(
      NumberBuilder(kInformation, mutual_information(corpus.items, segment))
          .null(mutual_information(corpus.items, shuffled), localize("subspaces.beside.shuffled_segments"))
          .control(mutual_information(corpus.items, second_half), localize("subspaces.beside.half_as_segment")));
}

double degrees(double radians) {
  return radians * 180 / std::numbers::pi;
}

/// Of a direction to a subspace, from the share of its square inside; in degrees.
double angle_of_share(double share) {
  return degrees(std::acos(std::sqrt(std::clamp(share, 0.0, 1.0))));
}

LocalizedText random_directions(size_t count) {
  return localize("subspaces.beside.random_direction", {{"draws", count}});
}

void measure_segment_in_tokens(const Vector& difference, const Bases& bases, const Conditions& conditions,
                               Numbers& numbers) {
  const auto null = frames(conditions, "segment in tokens", 1, difference.size(),
                           [&](const Table& direction) { return share_inside(direction, bases.tokens); });
  numbers.add(NumberBuilder(kShareInsideTokens, share_inside(difference, bases.tokens))
                  .null(mean(null), random_directions(null.size()), middle_95_percent(null))
                  .control(share_inside(Table(bases.directions.topRows(1)), bases.tokens),
                           localize("subspaces.beside.first_of_tokens")));
}

/// Of differences of two token rows: what any two rows that a model learned may have in common with its positions.
std::vector<double> shares_of_token_pairs(const Table& tokens, const Table& basis, const Conditions& conditions) {
  return drawn({.seed = conditions.seed,
                .name = "subspaces: token pairs",
                .count = size_of(conditions).rotations,
                .threads = thread_count(conditions)},
               [&](RandomStream& stream) {
                 const auto row = [&] { return static_cast<Index>(stream.below(static_cast<size_t>(tokens.rows()))); };
                 const Index first = row();
                 const Vector pair = (tokens.row(first) - tokens.row(row())).transpose();
                 return pair.isZero(0) ? 0 : share_inside(pair, basis);
               });
}

/// Over coordinates: the energy of a subspace's projector, Σ v², and how sparse it is.
double coordinate_sparsity(const Table& basis) {
  const Vector energy = basis.cwiseAbs2().colwise().sum().transpose();
  return hoyer_sparsity(elements(energy));
}

/// How many coordinates hold half of a subspace's energy.
double coordinates_of_half(const Table& basis) {
  Vector energy = basis.cwiseAbs2().colwise().sum().transpose();
  std::ranges::sort(energy, std::greater<>());
  const double half = energy.sum() / 2;
  double sum = 0;
  Index count = 0;
  while (count < energy.size() && sum < half) sum += energy(count++);
  return static_cast<double>(count);
}

/// What is measured of the span of 16 directions.
struct SpanStatistic {
  const char* draws;  ///< of random directions: the name of their stream
  NumberName name;    ///< of the number
  std::function<double(const Table&)> of;
};

/// Directions for which the claim is known to hold.
struct PlantedSpan {
  Table basis;
  LocalizedText of;
};

/// Of random directions.
std::vector<double> random_spans(const SpanStatistic& statistic, const Bases& bases, const Conditions& conditions) {
  return frames(conditions, statistic.draws, kSharedComponents, bases.positions.cols(), statistic.of);
}

/// Of the positions' directions, of random ones and of the planted ones.
void add_of_spans(const SpanStatistic& statistic, const Table& positions, const std::vector<double>& null,
                  const PlantedSpan& planted, Numbers& numbers) {
  numbers.add(
      NumberBuilder(statistic.name, statistic.of(positions), shared_components())
          .null(mean(null), localize("subspaces.beside.rotated", {{"draws", null.size()}}), middle_95_percent(null))
          .control(statistic.of(planted.basis), planted.of));
}

/// Smallest first, in degrees.
std::vector<double> angles_to(const Table& basis, const Table& other) {
  std::vector<double> angles;
  for (const double angle : principal_angles(basis, other)) angles.push_back(degrees(angle));
  return angles;
}

}  // namespace
}  // namespace subspaces

std::optional<Bases> bases_of(const InputParts& parts) {
  using namespace subspaces;
  if (parts.positions.isZero(0) || parts.tokens.isZero(0)) return {};
  const auto directions = [](const Table& rows) -> Table {
    if (rows.rows() == 0 || centred(rows).isZero(0)) return {};
    return singular_vectors(centred(rows), kSharedComponents).right;
  };
  Bases bases;
  bases.positions = directions(parts.positions);
  bases.without_row_0 = directions(parts.positions.bottomRows(parts.positions.rows() - 1));
  bases.ordinary = directions(without_rows(parts.positions, outlying_rows(parts.positions)));
  for (const Table* basis : {&bases.positions, &bases.without_row_0, &bases.ordinary}) {
    if (basis->rows() < static_cast<Index>(kSharedComponents)) return {};
  }
  bases.gram = gram_of(parts.tokens);
  bases.directions = directions_of(bases.gram);
  const Index quarter = std::min(std::max<Index>(1, parts.tokens.cols() / kOfTokens), bases.directions.rows());
  bases.tokens = bases.directions.topRows(quarter);
  bases.last_tokens = bases.directions.bottomRows(quarter);
  return bases;
}

void measure_segment(const Subject& subject, const Bases& bases, const CorpusItems& corpus,
                     const Conditions& conditions, Findings& findings) {
  using namespace subspaces;
  if (subject.segments.rows() < 2) {
    findings.gaps["0.2"] = localize("subspaces.gaps.one_segment");
    return;
  }
  const Table segments = seen_rows(subject, subject.segments);
  const Vector difference = (segments.row(1) - segments.row(0)).transpose();
  if (difference.isZero(0)) {
    findings.gaps["0.2"] = localize("subspaces.gaps.equal_segments");
    return;
  }
  const Index hidden = difference.size();
  const auto null = frames(conditions, "segment", 1, hidden,
                           [&](const Table& direction) { return share_inside(direction, bases.positions); });
  // Of ordinary rows: the first of all rows may be row 0's own, which the rest do not have.
  const Vector planted = bases.ordinary.row(0).transpose();
  const LocalizedText of_null = random_directions(null.size());
  const LocalizedText of_control = localize("subspaces.beside.first_of_positions");
  Numbers& numbers = findings.numbers["0.2"];
  const auto share_in = [&](const NumberName& name, const Table& basis, const std::vector<double>& of,
                            const LocalizedText& of_what) {
    numbers.add(NumberBuilder(name, share_inside(difference, basis), shared_components())
                    .null(mean(of), of_what, middle_95_percent(of))
                    .control(share_inside(planted, basis), of_control));
  };
  share_in(kShareInside, bases.positions, null, of_null);
  share_in(kShareWithoutRow0, bases.without_row_0, null, of_null);
  share_in(kShareOrdinary, bases.ordinary, null, of_null);
  const auto pairs = shares_of_token_pairs(seen_tokens(subject), bases.positions, conditions);
  share_in(kShareBesideTokens, bases.positions, pairs,
           localize("subspaces.beside.token_pairs", {{"draws", pairs.size()}}));
  const double share = numbers.value(kShareInside);
  const double control = numbers.control(kShareInside);
  numbers.add(NumberBuilder(kP, permutation_p(share, null, Tail::greater))
                  .null(0.5, localize("subspaces.beside.expected"))
                  .control(permutation_p(control, null, Tail::greater), of_control));
  std::vector<double> angles = null;
  std::ranges::transform(angles, angles.begin(), angle_of_share);
  numbers.add(NumberBuilder(kAngle, angle_of_share(share))
                  .null(mean(angles), of_null, middle_95_percent(angles))
                  .control(angle_of_share(control), of_control));
  measure_segment_in_tokens(difference, bases, conditions, numbers);
  measure_information(corpus, conditions, numbers);
}

void measure_overlap(const InputParts& parts, const Bases& bases, const Conditions& conditions, Findings& findings) {
  using namespace subspaces;
  const Table outside = parts.positions - parts.positions * bases.tokens.transpose() * bases.tokens;
  const PlantedSpan apart{leading_subspace(outside, kSharedComponents), localize("subspaces.beside.apart")};
  const PlantedSpan on_coordinates{Table::Identity(static_cast<Index>(kSharedComponents), parts.tokens.cols()),
                                   localize("subspaces.beside.on_coordinates", shared_components())};
  Numbers& numbers = findings.numbers["0.6"];
  const auto add = [&](const SpanStatistic& statistic, const PlantedSpan& planted) {
    add_of_spans(statistic, bases.positions, random_spans(statistic, bases, conditions), planted, numbers);
  };
  const auto inside = [&](const Table& basis) { return energy_overlap(basis, bases.tokens); };
  const auto random = random_spans({"positions", kOverlap, inside}, bases, conditions);
  add_of_spans({"positions", kOverlap, inside}, bases.positions, random, apart, numbers);
  add_of_spans({"positions", kOverlapWithoutRow0, inside}, bases.without_row_0, random, apart, numbers);
  add_of_spans({"positions", kOverlapOrdinary, inside}, bases.ordinary, random, apart, numbers);
  add({"positions", kOverlapLast, [&](const Table& basis) { return energy_overlap(basis, bases.last_tokens); }}, apart);
  add({"token energy", kTokenEnergy, [&](const Table& basis) { return energy_inside(bases.gram, basis); }}, apart);
  add({"angles", kSmallestAngle, [&](const Table& basis) { return angles_to(basis, bases.tokens).front(); }}, apart);
  add({"angles", kMedianAngle, [&](const Table& basis) { return median(angles_to(basis, bases.tokens)); }}, apart);
  add({"sparsity", kCoordinateSparsity, coordinate_sparsity}, on_coordinates);
  add({"coordinates", kCoordinatesOfHalf, coordinates_of_half}, on_coordinates);
}

}  // namespace summand::lab
