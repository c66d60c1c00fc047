#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/experiments/clocks/parts.hpp"
#include "lab/experiments/clocks/planted_circles.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/lag_kernel.hpp"
#include "lab/statistics/spectral_lines.hpp"
#include "lab/statistics/step_rotation.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_outcome.hpp"
#include "tests/lab/words_in.hpp"

using namespace summand::lab;

namespace {

constexpr double kRounding = 1e-9;
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr size_t kMostWords = 60;

/// Circles of equal radius at these frequencies, each in two columns of its own.
Table circles(size_t rows, const std::vector<double>& turns) {
  Table table(rows, 2 * turns.size());
  for (size_t t = 0; t < rows; ++t) {
    for (size_t i = 0; i < turns.size(); ++i) {
      const double angle = 2 * std::numbers::pi * turns[i] * static_cast<double>(t) / static_cast<double>(rows);
      table(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(2 * i)) = std::cos(angle);
      table(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(2 * i + 1)) = std::sin(angle);
    }
  }
  return table;
}

/// One circle whose pace rises evenly, both in turns over the table; in 40 columns, with noise of a tenth.
Table rising_pace(size_t rows, double from, double to) {
  Table path(rows, 2);
  for (size_t t = 0; t < rows; ++t) {
    const double x = static_cast<double>(t) / static_cast<double>(rows);
    const double angle = 2 * std::numbers::pi * (from * x + (to - from) * x * x / 2);
    path.row(static_cast<Eigen::Index>(t)) << std::cos(angle), std::sin(angle);
  }
  summand::RandomStream stream(21, "rising pace");
  return path * random_frame(2, 40, stream) + 0.01 * planted::gaussian(rows, 40, "rising pace");
}

/// One circle whose radius grows to so many times itself, in 256 rows of 60 turns.
Table widening(double times) {
  Table path = circles(256, {60});
  for (Eigen::Index t = 0; t < path.rows(); ++t) path.row(t) *= 1 + (times - 1) * static_cast<double>(t) / 255;
  return path;
}

/// One circle whose pace swings by a share of itself, so many times over the table.
Table wavering_pace(size_t rows, double turns, double by, double times) {
  Table path(rows, 2);
  double angle = 0;
  for (size_t t = 0; t < rows; ++t) {
    path.row(static_cast<Eigen::Index>(t)) << std::cos(angle), std::sin(angle);
    const double x = static_cast<double>(t) / static_cast<double>(rows);
    angle += 2 * std::numbers::pi * turns / static_cast<double>(rows) *
             (1 + by * std::sin(2 * std::numbers::pi * times * x));
  }
  summand::RandomStream stream(21, "wavering pace");
  return path * random_frame(2, 40, stream) + 0.01 * planted::gaussian(rows, 40, "wavering pace");
}

/// The mean products by their definition.
double mean_product(const PlacedRows& of, size_t lag) {
  const Eigen::RowVectorXd mean = of.rows.colwise().mean();
  double sum = 0;
  double pairs = 0;
  for (size_t i = 0; i < of.at.size(); ++i) {
    for (size_t j = i; j < of.at.size(); ++j) {
      if (of.at[j] - of.at[i] != lag) continue;
      sum += (of.rows.row(static_cast<Eigen::Index>(i)) - mean).dot(of.rows.row(static_cast<Eigen::Index>(j)) - mean);
      ++pairs;
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

/// The energy at some frequency by its definition.
double energy_at(const PlacedRows& of, double turns) {
  const Table grid = centred_in_place(of);
  const auto span = static_cast<double>(grid.rows());
  double energy = 0;
  for (Eigen::Index column = 0; column < grid.cols(); ++column) {
    double cosine = 0;
    double sine = 0;
    for (Eigen::Index t = 0; t < grid.rows(); ++t) {
      const double window = (1 - std::cos(2 * std::numbers::pi * (static_cast<double>(t) + 0.5) / span)) / 2;
      const double angle = 2 * std::numbers::pi * turns * static_cast<double>(t) / span;
      cosine += window * grid(t, column) * std::cos(angle);
      sine += window * grid(t, column) * std::sin(angle);
    }
    energy += cosine * cosine + sine * sine;
  }
  return energy;
}

std::vector<double> turns_of(size_t circles, size_t rows) {
  return clocks::planted_turns(circles, rows, rows / 2);
}

Table planted_with(size_t circles, size_t rows, size_t columns, const std::string& name = "circles") {
  summand::RandomStream stream(21, name);
  return clocks::planted_circles({rows, columns}, turns_of(circles, rows), stream);
}

planted::Outcome outcome_of(const Table& table, int threads = 2) {
  return planted::outcome_of(clocks_experiment(), planted::subject_of(table), threads);
}

}  // namespace

TEST_CASE("rows keep their positions when some are left out") {
  const Table table = planted::gaussian(9, 2, "placed");
  const std::vector<size_t> out{0, 4};
  const auto rows = placed_rows(table, out);
  CHECK(rows.at == std::vector<size_t>{1, 2, 3, 5, 6, 7, 8});
  CHECK(rows.span() == 8);
  CHECK(rows.rows.row(3) == table.row(5));
  CHECK(steps_of(rows) == std::vector<Eigen::Index>{0, 1, 3, 4, 5});
  const auto part = rows_between(rows, 3, 7);
  CHECK(part.at == std::vector<size_t>{3, 5, 6});
  CHECK(part.rows.row(1) == table.row(5));
  CHECK(centred_in_place(rows).row(3).isZero(0));
  CHECK(rows_between(rows, 9, 20).at.empty());
}

TEST_CASE("the lag kernel is the mean product of rows so far apart, gaps or not") {
  const Table table = planted::walk(40, 5, "kernel");
  for (const std::vector<size_t>& out : {std::vector<size_t>{}, {0, 11, 12, 30}}) {
    const auto rows = placed_rows(table, out);
    const Vector kernel = lag_kernel(rows);
    REQUIRE(kernel.size() == static_cast<Eigen::Index>(rows.span()));
    for (const size_t lag : {0, 1, 2, 7, 35}) {
      CHECK(kernel(static_cast<Eigen::Index>(lag)) == doctest::Approx(mean_product(rows, lag)).epsilon(kRounding));
    }
  }
  // More rows than are multiplied at once.
  const Table longer = planted::walk(600, 3, "long kernel");
  const Vector sums = lag_sums(longer);
  for (const Eigen::Index lag : {0, 1, 300, 599}) {
    const double expected = longer.topRows(600 - lag).cwiseProduct(longer.bottomRows(600 - lag)).sum();
    CHECK(sums(lag) == doctest::Approx(expected).epsilon(kRounding));
  }
}

TEST_CASE("a stationary process has the kernel that it is made from") {
  for (const Eigen::Index rows : {64, 65}) {
    // Two waves: exact, of rank 4. In 40,000 columns a mean product of unit variance is known to .005 · √2.
    const Vector kernel = Vector::NullaryExpr(rows, [](Eigen::Index lag) {
      return 0.7 * std::cos(0.9 * static_cast<double>(lag)) + 0.3 * std::cos(0.2 * static_cast<double>(lag));
    });
    const StationaryProcess process(kernel);
    CHECK(process.clipped() < 1e-9);
    summand::RandomStream stream(3, "process");
    const Table table = process.draw(40000, stream);
    REQUIRE(table.rows() == rows);
    for (const Eigen::Index first : {Eigen::Index{0}, rows / 2, rows - 1}) {
      for (Eigen::Index other = 0; other < rows; other += 7) {
        CHECK(std::abs(table.row(first).dot(table.row(other)) - kernel(std::abs(first - other))) < 0.04);
      }
    }
  }
}

TEST_CASE("a kernel that no stationary process has is clipped, and the variance stays") {
  Vector kernel = Vector::Zero(30);
  kernel(0) = 1;
  kernel(1) = 0.8;  // 1 + 1.6 cos θ falls below 0
  const StationaryProcess process(kernel);
  CHECK(process.clipped() > 0.05);
  summand::RandomStream stream(3, "clipped");
  CHECK(process.draw(20000, stream).squaredNorm() / 30 == doctest::Approx(1).epsilon(0.02));
  CHECK_THROWS_AS(StationaryProcess(Vector::Zero(4)), summand::UsageError);
}

TEST_CASE("tables with the same kernel keep it: the Gaussian one in the mean, joint phases exactly, counted round") {
  const Table table = planted_with(3, 128, 40, "same kernel");
  const std::vector<size_t> out{0, 50, 127};
  const auto rows = placed_rows(table, out);
  const SameKernelTables same(rows);
  const Vector kernel = lag_kernel(rows);
  Vector mean = Vector::Zero(kernel.size());
  constexpr size_t kDraws = 40;
  for (size_t i = 0; i < kDraws; ++i) {
    summand::RandomStream stream(4, "same kernel " + std::to_string(i));
    const auto drawn = same.draw(SameKernel::gaussian, stream);
    CHECK(drawn.at == rows.at);
    mean += lag_kernel(drawn) / static_cast<double>(kDraws);
  }
  // 1600 columns of a few waves, whose products vary by about their own size; centring takes a little.
  CHECK((mean - kernel).head(100).cwiseAbs().maxCoeff() < 0.1 * kernel(0));

  const auto all = placed_rows(table);
  const SameKernelTables whole(all);
  summand::RandomStream stream(4, "phases");
  const Vector own = lag_sums(centred_in_place(all));
  const Vector turned = lag_sums(centred_in_place(whole.draw(SameKernel::joint_phases, stream)));
  const Eigen::Index n = own.size();
  for (Eigen::Index lag = 1; lag < n; lag += 9) {
    CHECK(turned(lag) + turned(n - lag) == doctest::Approx(own(lag) + own(n - lag)).epsilon(1e-6));
  }
}

TEST_CASE("the step rotation turns planted circles by their angles, in planes that hold them whole") {
  // Whole turns: centring takes nothing away.
  const std::vector<double> turns{3, 8, 21};
  for (const bool gaps : {false, true}) {
    const Table table = circles(120, turns);
    const auto rows = placed_rows(table, gaps ? std::vector<size_t>{0, 60} : std::vector<size_t>{});
    const StepRotation step(rows, 6);
    REQUIRE(step.components() == 6);
    const auto planes = step.planes(6);
    REQUIRE(planes.size() == 3);
    // With rows left out the mean is not quite the circles' centre.
    const double tolerance = gaps ? 0.05 : kRounding;
    for (size_t i = 0; i < 3; ++i) {
      CHECK(planes[i].angle * kDegrees == doctest::Approx(3 * turns[i]).epsilon(tolerance));
      CHECK(planes[i].turns == doctest::Approx(turns[i] * static_cast<double>(rows.span()) / 120).epsilon(tolerance));
      CHECK(planes[i].share == doctest::Approx(1.0 / 3).epsilon(tolerance));
      CHECK(planes[i].radius == doctest::Approx(1).epsilon(tolerance));
      CHECK(planes[i].radius_variation < tolerance);
      CHECK(planes[i].drift < tolerance);
      const Table directions = step.directions(planes[i]);
      CHECK((directions * directions.transpose()).isIdentity(kRounding));
      const Vector advances = phase_advances(planes[i], rows.at);
      CHECK(advances.sum() ==
            doctest::Approx(planes[i].angle * static_cast<double>(rows.span() - 1)).epsilon(tolerance));
      // The slope of the least-squares line, gaps or not.
      const double turned = pace_between(advances, rows.at, 0, rows.at.size());
      CHECK(turned == doctest::Approx(planes[i].pace).epsilon(kRounding));
    }
    CHECK(step.skill(6, 5) > 1 - tolerance);
  }
}

TEST_CASE("a path that slows down has its mean pace and a drift") {
  Table table(200, 2);
  for (Eigen::Index t = 0; t < 200; ++t) {
    const double x = static_cast<double>(t) / 200;
    const double angle = 2 * std::numbers::pi * (20 * x + 2 * x * (1 - x));
    table.row(t) << std::cos(angle), std::sin(angle);
  }
  const auto plane = StepRotation(placed_rows(table), 2).planes(2).front();
  CHECK(plane.turns == doctest::Approx(20).epsilon(0.01));
  // A parabola less its best line: 2 / √180.
  CHECK(plane.drift == doctest::Approx(2 / std::sqrt(180)).epsilon(0.05));
}

TEST_CASE("a rotation of every step is refused where it cannot be had") {
  const Table table = planted::gaussian(20, 4, "refused");
  const StepRotation step(placed_rows(table), 4);
  CHECK_THROWS_AS(static_cast<void>(step.planes(5)), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(step.planes(0)), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(step.skill(4, 1)), summand::UsageError);
  const std::vector<size_t> every_other{1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
  CHECK_THROWS_AS(static_cast<void>(StepRotation(placed_rows(table, every_other), 4).planes(2)), summand::UsageError);
}

TEST_CASE("the spectrum is the windowed Fourier transform's energy, by lag sums or by columns") {
  const Table table = planted::walk(50, 4, "spectrum");
  for (const std::vector<size_t>& out : {std::vector<size_t>{}, {0, 20, 49}}) {
    const auto rows = placed_rows(table, out);
    const auto spectrum = energy_spectrum(rows);
    const ColumnTransform columns(rows);
    const auto summed = columns.along(Table::Identity(4, 4));
    REQUIRE(spectrum.energy.size() == static_cast<Eigen::Index>(2 * rows.span() + 1));
    for (Eigen::Index i = 0; i < spectrum.energy.size(); i += 9) {
      const double expected = energy_at(rows, spectrum.turns_at(i));
      CHECK(spectrum.energy(i) == doctest::Approx(expected).epsilon(1e-7));
      CHECK(summed.energy(i) == doctest::Approx(expected).epsilon(1e-7));
    }
  }
}

TEST_CASE("the strongest lines are the planted ones, each with its energy") {
  const auto spectrum = energy_spectrum(placed_rows(circles(256, {6, 20, 60})));
  const auto lines = strongest_lines(spectrum, {.until = 0.99});
  REQUIRE(lines.size() == 3);
  std::vector<double> turns;
  for (const auto& line : lines) {
    turns.push_back(line.turns);
    CHECK(line.share == doctest::Approx(1.0 / 3).epsilon(0.01));
    CHECK(line.half_width == doctest::Approx(std::max(1.5, line.turns / 4)));
  }
  std::ranges::sort(turns);
  CHECK(turns == std::vector<double>{6, 20, 60});
  CHECK(spectrum.degrees_per_step(20) == doctest::Approx(360.0 * 20 / 256));
}

TEST_CASE("planted circles are found, all of them, at their frequencies, under noise and drift") {
  for (const size_t count : {1, 3, 5}) {
    for (const auto& [rows, columns] : {std::pair<size_t, size_t>{256, 64}, {300, 41}}) {
      CAPTURE(count);
      const auto found = circles_of(placed_rows(planted_with(count, rows, columns)));
      const auto turns = turns_of(count, rows);
      REQUIRE(found.circles.size() == count);
      for (size_t i = 0; i < count; ++i) {
        CHECK(found.circles[i].plane.turns == doctest::Approx(turns[i]).epsilon(0.05));
      }
      CHECK(found.share > 0.75);  // of .8, the rest is noise; its own share of the planes comes on top
    }
  }
}

TEST_CASE("smooth and rough noise has no circles, nor has a sinusoidal table of BERT's kind") {
  CHECK(circles_of(placed_rows(planted::walk(256, 96, "no circles"))).share == 0);
  CHECK(circles_of(placed_rows(planted::smooth(256, 96, "no circles"))).share == 0);
  CHECK(circles_of(placed_rows(planted::gaussian(256, 96, "no circles"))).share == 0);
  CHECK(circles_of(placed_rows(planted::sine(512, 192))).share == 0);
}

TEST_CASE("one plane whose pace rises is no circle at its own pace, and none of any pace") {
  for (const auto& [from, to] : {std::pair{8.0, 72.0}, {20.0, 60.0}}) {
    const Table table = rising_pace(512, from, to);
    const auto found = circles_of(placed_rows(table));
    CHECK(found.share == 0);
    CHECK(found.turning == 0);
  }
  // From turn to turn, though every quarter has the same pace.
  CHECK(circles_of(placed_rows(wavering_pace(512, 100, 0.54, 16))).share == 0);
  CHECK(circles_of(placed_rows(wavering_pace(512, 100, 0.1, 16))).share > 0.9);
  // The slowest of MiniLM's circles is at most 1.36 times as fast in one quarter as in another.
  CHECK(circles_of(placed_rows(rising_pace(512, 36, 44))).share > 0.9);
}

TEST_CASE("a path round once is a slow circle or none, and one that widens is a spiral") {
  for (const double turns : {1.0, 1.5, 1.9}) {
    const auto found = circles_of(placed_rows(circles(256, {turns})));
    CHECK(found.share == 0);
    CHECK(found.slow > 0.95);
  }
  CHECK(circles_of(placed_rows(circles(256, {0.5}))).slow == 0);
  CHECK(circles_of(placed_rows(circles(256, {2.2}))).slow == 0);
  CHECK(circles_of(placed_rows(widening(1.4))).share > 0.95);
  CHECK(circles_of(placed_rows(widening(2.1))).share == 0);
}

TEST_CASE("circles too near each other to be told apart go round all the same") {
  for (const auto& turns : std::vector<std::vector<double>>{{20, 28, 39}, {40, 56}, {8, 16, 24, 32, 40, 48}}) {
    const auto found = circles_of(placed_rows(circles(256, turns)));
    CHECK(found.share < 0.5);
    CHECK(found.turning > 0.95);
  }
}

TEST_CASE(
    "where the pace is steady, a table with the same lag kernel has the same circles: the kernel is the finding") {
  summand::RandomStream steady(21, "steady");
  const auto rows = placed_rows(clocks::planted_circles({256, 64}, std::vector<double>{6, 20, 60}, steady, 0));
  const SameKernelTables same(rows);
  for (const auto kind : kSameKernels) {
    summand::RandomStream stream(6, name_of(kind));
    const auto found = circles_of(same.draw(kind, stream));
    CHECK(found.circles.size() == 3);
    CHECK(found.share == doctest::Approx(circles_of(rows).share).epsilon(0.1));
  }
}

TEST_CASE("the parts are halves, and the positions below and from 128 on where both have 64 rows") {
  const auto names = [](size_t rows) {
    std::vector<std::string> list;
    for (const auto& part : clocks::parts_of(placed_rows(planted::gaussian(rows, 2, "parts")))) {
      list.push_back(part.name);
      CHECK(part.rows.at.size() >= clocks::kLeastPartRows);
    }
    return list;
  };
  CHECK(names(127).empty());
  CHECK(names(128) == std::vector<std::string>{"first_half", "second_half"});
  CHECK(names(192) == std::vector<std::string>{"first_half", "second_half", "below_128", "from_128"});
}

TEST_CASE("five circles in equal ratios hold in both claims") {
  const auto outcome = outcome_of(planted_with(5, 320, 60));
  CHECK(outcome.observation("X1") == Observation::holds);
  CHECK(outcome.observation("X2") == Observation::holds);
  CHECK(outcome.value("X2", "ratio") == doctest::Approx(std::pow(0.4 * 320 / 4.5, 0.25)).epsilon(0.05));
  for (const char* claim : {"X1", "X2"}) planted::check_besides(outcome.findings, claim);
  REQUIRE(outcome.findings.figures.size() == 4);
  CHECK(outcome.findings.figures.back().name == "clocks-dials");
}

TEST_CASE("circles at a steady pace say no more than the lag kernel, circles whose pace drifts far do") {
  const std::vector<double> turns{6, 22, 80};
  const auto with_drift = [&](double drift) {
    summand::RandomStream stream(21, "kernel or more");
    return outcome_of(clocks::planted_circles({320, 60}, turns, stream, drift));
  };
  const auto steady = with_drift(0);
  CHECK(steady.observation("X1") == Observation::holds);
  CHECK(steady.inference("X1") != Inference::follows);
  const auto drifting = with_drift(0.1);
  CHECK(drifting.observation("X1") == Observation::holds);
  CHECK(drifting.inference("X1") == Inference::follows);
}

TEST_CASE("circles at equal differences are circles and no ladder") {
  summand::RandomStream stream(21, "arithmetic");
  const std::vector<double> turns{6, 31, 56, 81, 106};
  const auto outcome = outcome_of(clocks::planted_circles({400, 60}, turns, stream));
  CHECK(outcome.observation("X1") == Observation::cannot_be_told);  // the fastest three are within half of each other
  CHECK(outcome.observation("X2") != Observation::holds);
}

TEST_CASE("a pace that rises fails, a slow circle and circles near each other cannot be told") {
  const auto slow = outcome_of(circles(400, {1.5}));
  CHECK(slow.observation("X1") == Observation::cannot_be_told);
  CHECK(slow.value("X1", "slow_share") > 0.95);
  CHECK(outcome_of(rising_pace(400, 8, 72)).observation("X1") == Observation::fails);
  for (const auto& turns : std::vector<std::vector<double>>{{20, 28, 39}, {40, 56}, {8, 16, 24, 32, 40, 48}}) {
    const auto outcome = outcome_of(circles(400, turns));
    CHECK(outcome.observation("X1") == Observation::cannot_be_told);
    CHECK(outcome.value("X1", "turning_share") > 0.95);
  }
  // Of a sinusoid's 96 circles most make no two turns: it is not a few.
  CHECK(outcome_of(planted::sine(320, 192)).observation("X1") == Observation::fails);
}

TEST_CASE("a ladder's ratios are told one by one and part by part, and lie in their intervals") {
  const auto outcome = outcome_of(planted_with(5, 320, 60));
  const auto& numbers = outcome.findings.numbers.at("X2");
  const double ratio = std::pow(0.4 * 320 / 4.5, 0.25);
  for (const char* name : {"ratio", "pace_ratio_1", "pace_ratio_2", "pace_ratio_3", "pace_ratio_4"}) {
    CAPTURE(name);
    const auto& number = numbers.at(name);
    CHECK(number.value == doctest::Approx(ratio).epsilon(0.1));
    CHECK(number.interval->low <= number.value);
    CHECK(number.value <= number.interval->high);
  }
  for (const char* part : {"first_half", "second_half", "below_128", "from_128"}) {
    CHECK(numbers.value(std::string("ratio_in_") + part) == doctest::Approx(ratio).epsilon(0.1));
  }
  summand::RandomStream stream(21, "uneven");
  const std::vector<double> uneven{5, 11, 31, 73, 211};
  const auto other = outcome_of(clocks::planted_circles({512, 60}, uneven, stream, 0));
  REQUIRE(other.value("X2", "rungs") == 5);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(other.value("X2", "pace_ratio_" + std::to_string(i + 1)) ==
          doctest::Approx(uneven[i + 1] / uneven[i]).epsilon(0.02));
  }
  CHECK(other.verdicts.at("X2").reason.en.find("2.20, 2.8") != std::string::npos);
}

TEST_CASE("random paths and noise fail, and have no ladder to be told") {
  for (const Table& table :
       {planted::walk(320, 48, "fails"), planted::smooth(320, 48, "fails"), planted::gaussian(320, 48, "fails")}) {
    const auto outcome = outcome_of(table);
    INFO(outcome.verdicts.at("X1").reason.en);
    CHECK(outcome.observation("X1") == Observation::fails);
    CHECK(outcome.observation("X2") == Observation::cannot_be_told);
    CHECK(outcome.value("X2", "rungs") == 0);
    for (const char* claim : {"X1", "X2"}) planted::check_besides(outcome.findings, claim);
    const auto answer = clocks_experiment().answer(outcome.findings, outcome.verdicts);
    CHECK(words_in(answer.en) <= kMostWords);
  }
}

TEST_CASE("clocks: the same seed gives the same numbers on any number of threads, odd widths included") {
  const Table table = planted_with(3, 160, 33);
  const auto one = outcome_of(table, 1);
  const auto two = outcome_of(table, 2);
  for (const char* claim : {"X1", "X2"}) {
    const auto& numbers = one.findings.numbers.at(claim).all();
    const auto& others = two.findings.numbers.at(claim).all();
    REQUIRE(numbers.size() == others.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      CHECK(numbers[i].name == others[i].name);
      CHECK(numbers[i].value == others[i].value);
      CHECK(numbers[i].null->value == others[i].null->value);
      CHECK(numbers[i].control->value == others[i].control->value);
    }
  }
}

TEST_CASE("clocks: [CLS]'s row and a common vector change nothing") {
  Table table = planted_with(3, 200, 40);
  const auto before = outcome_of(table);
  table.row(0) *= 50;
  table.row(199).setConstant(7);
  table.rowwise() += planted::gaussian(1, 40, "common").row(0);
  const auto after = outcome_of(table / 32);
  CHECK(after.value("X1", "circle_share") == doctest::Approx(before.value("X1", "circle_share")).epsilon(1e-6));
  CHECK(after.observation("X1") == before.observation("X1"));
}

TEST_CASE("clocks: too few rows, and rows that do not differ, are gaps") {
  for (const Table& table :
       {planted_with(1, 100, 12), Table(Table::Zero(200, 8)), planted::walk(300, 1, "one column")}) {
    const auto outcome = outcome_of(table);
    CHECK(outcome.findings.gaps.contains("X1"));
    CHECK(outcome.findings.gaps.contains("X2"));
    CHECK(outcome.observation("X1") == Observation::not_measured);
  }
}
