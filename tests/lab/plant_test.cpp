// What `summand lab plant` makes has the truth that it is said to have.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/rows_set_apart.hpp"
#include "lab/plant/circles_to_find.hpp"
#include "lab/plant/expectations.hpp"
#include "lab/plant/kinds.hpp"
#include "lab/statistics/lag_kernel.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/procrustes.hpp"
#include "lab/statistics/spectrum.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "support/random_model.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

constexpr double kExact = 1e-9;  // double precision, over sums of some hundred terms

Table drawn(PlantedTable kind, const PlantedTableSettings& settings, uint64_t seed = 3) {
  RandomStream stream(seed, "plant test");
  return planted_table(kind, settings, stream);
}

/// 1 − SSE / SSE of persistence of the best rotation per step, of each third of the rows fitted on the others.
double step_skill(const Table& table, size_t components) {
  constexpr Eigen::Index kParts = 3;
  const Table scores = principal_components(table, components).scores;
  const auto steps = [&](bool inside, Eigen::Index part, Eigen::Index further) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index row = 0; row + 1 < scores.rows(); ++row) {
      if ((row * kParts / scores.rows() == part) == inside) rows.push_back(row + further);
    }
    return Table(scores(rows, Eigen::all));
  };
  double error = 0;
  double persistence = 0;
  for (Eigen::Index part = 0; part < kParts; ++part) {
    const Table turn = orthogonal_procrustes(steps(false, part, 0), steps(false, part, 1));
    error += (steps(true, part, 0) * turn - steps(true, part, 1)).squaredNorm();
    persistence += (steps(true, part, 0) - steps(true, part, 1)).squaredNorm();
  }
  return 1 - error / persistence;
}

PlantedTableSettings small(const Table* source = nullptr) {
  return {.rows = 128, .columns = 32, .frequencies = 4, .turns = 17, .circles = 3, .source = source};
}

double mean_square(const Table& table) {
  return table.squaredNorm() / static_cast<double>(table.size());
}

/// In a plane of two components: the angle from one row to the next, unwound.
std::vector<double> angles_of(const Table& scores) {
  std::vector<double> angles;
  for (Eigen::Index row = 1; row < scores.rows(); ++row) {
    const double cross = scores(row - 1, 0) * scores(row, 1) - scores(row - 1, 1) * scores(row, 0);
    angles.push_back(std::atan2(cross, scores.row(row - 1).dot(scores.row(row))));
  }
  return angles;
}

std::set<std::string> claims_in(const std::vector<Expectation>& expectations) {
  std::set<std::string> claims;
  for (const auto& one : expectations) {
    CHECK_FALSE(one.why.empty());
    CHECK(one.why.ends_with('.'));
    if (one.demand != Expectation::Demand::is) claims.insert(one.of);
  }
  return claims;
}

}  // namespace

TEST_CASE("every kind of table is the same for one stream, another for another, and finite") {
  const Table source = drawn(PlantedTable::walk, small());
  for (const auto& [kind, name] : enum_names(PlantedTable{})) {
    CAPTURE(name);
    const Table table = drawn(kind, small(&source));
    CHECK(table.rows() == 128);
    CHECK(table.cols() == 32);
    CHECK(table.allFinite());
    CHECK(table == drawn(kind, small(&source)));
    CHECK((table == drawn(kind, small(&source), 4)) == (kind == PlantedTable::sinusoid));
  }
}

TEST_CASE("waves of equal energy turn by one rotation, lie off the grid, and have inner products of distance alone") {
  const PlantedTableSettings settings{.rows = 256, .columns = 48, .frequencies = 8};
  const Table table = drawn(PlantedTable::equal_frequencies, settings);
  CHECK(mean_square(table) == doctest::Approx(1));
  CHECK(toeplitz_r2(table * table.transpose()) > 1 - kExact);
  // One rotation of the whole space: uncentred, all of it.
  const Table turn = orthogonal_procrustes(table.topRows(255), table.bottomRows(255));
  CHECK((table.topRows(255) * turn - table.bottomRows(255)).norm() < kExact * table.norm());
  const Vector kernel = (table * table.row(0).transpose()) / 48;
  for (Eigen::Index k = 1; k < kernel.size(); ++k) CHECK(std::abs(kernel(k)) < 1 - 1e-6);  // no period
  const Vector lines = amplitude_spectrum(elements(Vector(table.col(0))));
  CHECK(lines.minCoeff() > 1e-6);  // of waves on the grid all other lines would be nothing
}

TEST_CASE("a ring goes round in its first two components, as often as it is told") {
  for (const double turns : {17.0, 90.5}) {
    const Table table = drawn(PlantedTable::ring, {.rows = 256, .columns = 32, .turns = turns, .noise = 0.05});
    const auto components = principal_components(table, 2);
    CHECK(components.scores.squaredNorm() / centred(table).squaredNorm() > 0.99);
    double whole = 0;
    for (const double angle : angles_of(components.scores)) whole += angle;
    CHECK(std::abs(whole) / (2 * std::numbers::pi) * 256 / 255 == doctest::Approx(turns).epsilon(0.002));
    const Vector radius = components.scores.rowwise().norm();
    CHECK(standard_deviation(elements(radius)) < 0.05 * mean(elements(radius)));
  }
}

TEST_CASE("clocks turn by their ladder of paces, each in a plane of its own") {
  const PlantedTableSettings settings{.rows = 486, .columns = 32, .circles = 4, .ratio = 3, .drift = 0, .noise = 0};
  const Table table = drawn(PlantedTable::clocks, settings);
  CHECK(mean_square(table) == doctest::Approx(1));
  // The kernel of one row: the mean of cosines of 60, 20, 20/3 and 20/9 degrees a row.
  const Table products = table * table.transpose() / 32;
  for (const Eigen::Index k : {1, 5, 54, 200}) {
    double expected = 0;
    for (const double degrees : {60.0, 20.0, 20.0 / 3, 20.0 / 9}) {
      expected += std::cos(degrees * static_cast<double>(k) * std::numbers::pi / 180) / 4;
    }
    CHECK(products(3, 3 + k) == doctest::Approx(expected).epsilon(kExact));
  }
  const Table drifting = drawn(PlantedTable::clocks, {.rows = 486, .columns = 32, .circles = 4, .drift = 0.1});
  CHECK(toeplitz_r2(drifting * drifting.transpose()) < 0.9);
  CHECK(drifting.row(400).squaredNorm() / 32 == doctest::Approx(1).epsilon(0.3));  // radius stays, but for the noise
}

TEST_CASE("noise of a band has its energy there, and ends elsewhere than it begins") {
  const Table table = drawn(PlantedTable::band, {.rows = 256, .columns = 200, .low = 10, .high = 17});
  CHECK(mean_square(table) == doctest::Approx(1).epsilon(0.1));
  double inside = 0;
  double all = 0;
  double jump = 0;
  double step = 0;
  for (Eigen::Index column = 0; column < table.cols(); ++column) {
    const Vector lines = amplitude_spectrum(elements(Vector(table.col(column)))).array().square();
    inside += lines.segment(9, 10).sum();  // a line beside each edge: what leaks
    all += lines.sum();
    jump += std::pow(table(255, column) - table(0, column), 2);
    step += std::pow(table(1, column) - table(0, column), 2);
  }
  CHECK(inside / all > 0.93);
  CHECK(jump > 4 * step);
}

TEST_CASE("an initial table has its law, cut at two sigmas, and the long row alone leaves it") {
  const Table table = drawn(PlantedTable::initialisation, {.rows = 512, .columns = 128});
  CHECK(table.cwiseAbs().maxCoeff() <= 0.04);
  CHECK(standard_deviation(elements(table)) == doctest::Approx(0.01759).epsilon(0.01));  // CLAIMS.md, E1
  CHECK(kurtosis(elements(table)) == doctest::Approx(2.37).epsilon(0.01));
  const Table longer = drawn(PlantedTable::initialisation_long_row, {.rows = 512, .columns = 128});
  CHECK(longer.bottomRows(511) == table.bottomRows(511));
  CHECK(longer.row(0).norm() == doctest::Approx(10 * table.row(0).norm()));
  CHECK(outlying_rows(longer) == std::vector<size_t>{0});
}

TEST_CASE("a kernel-matched table has the source's inner products by distance, and joint phases keep its covariance") {
  PlantedTableSettings settings{.rows = 256, .columns = 64, .circles = 3, .noise = 0.2};
  const Table source = drawn(PlantedTable::clocks, settings);
  settings.source = &source;
  const Vector own = lag_kernel(placed_rows(source)) / 64;
  Vector matched = Vector::Zero(256);
  constexpr int kDraws = 20;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Table table = drawn(PlantedTable::kernel_matched, settings, static_cast<uint64_t>(draw));
    matched += lag_sums(table) / 64 / kDraws;
  }
  for (Eigen::Index k = 0; k < 128; ++k) {
    CAPTURE(k);
    // 20 draws of 64 columns; few long waves in each.
    CHECK(std::abs(matched(k) / static_cast<double>(256 - k) - own(k)) < 0.15);
  }
  const Table turned = drawn(PlantedTable::joint_phases, settings);
  const Table covariance = centred(source).transpose() * centred(source);
  CHECK((turned.transpose() * turned - covariance).norm() < kExact * covariance.norm());
  CHECK((turned - centred(source)).norm() > 0.5 * source.norm());
}

TEST_CASE("what rows are made of a source with a long row 0 leaves that row out") {
  Table source = drawn(PlantedTable::smooth, small());
  source.row(0) *= 20;
  PlantedTableSettings settings = small(&source);
  CHECK(drawn(PlantedTable::kernel_matched, settings).rows() == 127);
  CHECK(drawn(PlantedTable::joint_phases, settings).cwiseAbs().maxCoeff() < 8);
}

TEST_CASE("a step is foretold in the tables that have one rotation and not in those of noise") {
  PlantedTableSettings settings{.rows = 256, .columns = 64, .frequencies = 6};
  CHECK(step_skill(drawn(PlantedTable::equal_frequencies, settings), 12) > 0.99);
  CHECK(step_skill(drawn(PlantedTable::sinusoid, settings), 16) > 0.8);
  CHECK(step_skill(drawn(PlantedTable::white, settings), 16) < 0.6);
  CHECK(step_skill(drawn(PlantedTable::walk, settings), 16) < 0.4);
}

TEST_CASE("settings that make no table are refused by the option's name") {
  const auto refusal = [](PlantedTable kind, PlantedTableSettings settings) {
    try {
      (void)drawn(kind, settings);
    } catch (const UsageError& error) {
      return std::string(error.where());
    }
    return std::string("nothing");
  };
  CHECK(refusal(PlantedTable::white, {.rows = 7}) == "--rows");
  CHECK(refusal(PlantedTable::white, {.columns = 1}) == "--columns");
  CHECK(refusal(PlantedTable::sinusoid, {.columns = 33}) == "--columns");
  CHECK(refusal(PlantedTable::sinusoid, {.base = 0}) == "--base");
  CHECK(refusal(PlantedTable::smooth, {.length = -1}) == "--length");
  CHECK(refusal(PlantedTable::smooth, {.rows = 9000}) == "--rows");
  CHECK(refusal(PlantedTable::equal_frequencies, {.frequencies = 0}) == "--frequencies");
  CHECK(refusal(PlantedTable::equal_frequencies, {.columns = 62, .frequencies = 32}) == "--frequencies");
  CHECK(refusal(PlantedTable::ring, {.turns = 257}) == "--turns");
  CHECK(refusal(PlantedTable::ring, {.noise = -0.1}) == "--noise");
  CHECK(refusal(PlantedTable::clocks, {.ratio = 1}) == "--ratio");
  CHECK(refusal(PlantedTable::clocks, {.circles = 200}) == "--circles");
  CHECK(refusal(PlantedTable::clocks, {.drift = 2}) == "--drift");
  CHECK(refusal(PlantedTable::band, {.low = 0}) == "--low");
  CHECK(refusal(PlantedTable::band, {.low = 10, .high = 10.5}) == "--high");
  CHECK(refusal(PlantedTable::kernel_matched, {}) == "--from");
  const Table equal = Table::Ones(20, 4);
  CHECK(refusal(PlantedTable::kernel_matched, {.source = &equal}) == "--from");
  CHECK(refusal(PlantedTable::joint_phases, {.source = &equal}) == "--from");
}

TEST_CASE("what must be found of circles is claimed only where the definition finds them") {
  using Claims = std::set<std::string>;
  const auto claimed = [](PlantedTable kind, const PlantedTableSettings& settings) {
    return claims_in(expectations_of(kind, settings));
  };
  constexpr auto kRing = PlantedTable::ring;
  CHECK(claimed(kRing, {}) == Claims{"E4", "X1"});
  CHECK(claimed(kRing, {.rows = 256, .columns = 64, .turns = 40}) == Claims{"E4", "X1"});
  CHECK(claimed(kRing, {.rows = 100}) == Claims{"E4"});  // too few rows for X1
  CHECK(claimed(kRing, {.turns = 0.3}).empty());
  CHECK(claimed(kRing, {.turns = 2}).empty());  // once in each half: a path may do so by chance
  CHECK(claimed(kRing, {.turns = 2.5}) == Claims{"X1"});
  CHECK(claimed(kRing, {.noise = 5}).empty());
  CHECK(claimed(kRing, {.rows = 32, .turns = 8}).empty());
  constexpr auto kClocks = PlantedTable::clocks;
  CHECK(claimed(kClocks, {}) == Claims{"X1"});  // paces drift by 5 %: parts may be no ladder
  CHECK(claimed(kClocks, {.circles = 2, .noise = 5}).empty());
  CHECK(claimed(kClocks, {.circles = 3, .ratio = 1.2}).empty());  // their drifting paces meet
  CHECK(claimed(kClocks, {.rows = 128, .columns = 32, .circles = 12, .ratio = 2}).empty());
  CHECK(claimed(kClocks, {.drift = 0.5}).empty());
  CHECK(claimed(kClocks, {.circles = 3, .ratio = 2, .drift = 0}) == Claims{"X1"});  // a ladder needs four
  CHECK(claimed(kClocks, {.circles = 5, .ratio = 2.4, .drift = 0}) == Claims{"X1", "X2"});
}

TEST_CASE("no verdict is promised at a size that cannot tell it") {
  using Claims = std::set<std::string>;
  const auto promised = [](PlantedTable kind, const PlantedTableSettings& settings) {
    Claims claims;
    for (const auto& one : expectations_of(kind, settings)) {
      if (one.demand == Expectation::Demand::must) claims.insert(one.of);
    }
    return claims;
  };
  CHECK(promised(PlantedTable::sinusoid, {}) == Claims{"3.5", "4.3"});
  CHECK(promised(PlantedTable::sinusoid, {.columns = 64}) == Claims{"3.5"});
  CHECK(promised(PlantedTable::sinusoid, {.rows = 128}).empty());
  CHECK(promised(PlantedTable::equal_frequencies, {.rows = 64, .frequencies = 4}).empty());
  CHECK(promised(PlantedTable::initialisation, {}) == Claims{"E1"});
  CHECK(promised(PlantedTable::initialisation, {.rows = 64}).empty());
  CHECK(promised(PlantedTable::initialisation_long_row, {.columns = 8}).empty());
  CHECK(claims_in(expectations_of(PlantedTable::band, {.low = 10, .high = 11})) == Claims{"3.5"});
  CHECK(claims_in(expectations_of(PlantedTable::band, {.low = 10, .high = 12})) == Claims{"3.5", "X1"});
}

TEST_CASE("circles that must be found are found, and so is a ladder") {
  const auto settings = [](RandomStream& stream) {
    PlantedTableSettings drawn{.rows = 140 + stream.below(500), .columns = size_t{16} << stream.below(3)};
    drawn.turns = static_cast<double>(drawn.rows) * 0.5 * stream.uniform();
    drawn.circles = 1 + stream.below(6);
    drawn.ratio = 1.5 + 1.5 * stream.uniform();
    drawn.drift = stream.below(2) == 0 ? 0 : 0.08 * stream.uniform();
    drawn.noise = 0.8 * stream.uniform();
    return drawn;
  };
  constexpr size_t kEnough = 20;
  size_t told = 0;
  for (uint64_t draw = 0; told < kEnough; ++draw) {
    CAPTURE(draw);
    RandomStream stream(draw, "plant test: settings");
    const auto planted = settings(stream);
    const auto kind = draw % 2 == 0 ? PlantedTable::ring : PlantedTable::clocks;
    const auto to_find = circles_to_find(kind, planted);
    if (!to_find.clocks) continue;
    ++told;
    const Table table = drawn(kind, planted, draw);
    const auto rows = placed_rows(table, rows_set_apart(table));
    const auto found = clocks::clockwork_of(rows);
    CHECK(found.whole.share() >= circle_rule::kMostOf);
    if (!to_find.ladder) continue;
    const auto ladder = clocks::ladder_reading(found.whole, rows, {.name = "plant test", .count = 50, .threads = 1});
    CHECK(ladder.ratio_p.high <= ladder_rule::kSure);
    CHECK(ladder.most_p() <= ladder_rule::kChance);
  }
}

TEST_CASE("every kind has a line, and what it claims are claims") {
  std::set<std::string> ids{"X1", "X2"};
  for (const auto& claim : ledger()) ids.insert(claim.id);
  io::Checkpoint source;
  source.config.config = test::config_of({.hidden = 8, .heads = 2, .intermediate = 8, .positions = 12});
  source.weights = test::random_weights(source.config.config, source.parts, 4);
  RandomStream stream(3, "plant test");
  const auto rewritten = [&](PlantedModel kind) { return rewritten_model(kind, source, {}, stream); };
  CHECK(plant_kinds().size() == enum_names(PlantedTable{}).size() + enum_names(PlantedModel{}).size());
  for (const auto& kind : plant_kinds()) {
    CAPTURE(kind.name);
    CHECK(kind.table.has_value() != kind.model.has_value());
    const auto truth = kind.table ? expectations_of(*kind.table, {})
                                  : expectations_of(*kind.model, rewritten(*kind.model), source.sentence);
    CHECK_FALSE(truth.empty());
    CHECK(std::ranges::includes(ids, claims_in(truth)));
  }
}
