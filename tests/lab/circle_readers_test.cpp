#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lab/experiments/circle_readers/circle_positions.hpp"
#include "lab/experiments/circle_readers/crossings.hpp"
#include "lab/experiments/circle_readers/offset_attention.hpp"
#include "lab/experiments/circle_readers/reader_numbers.hpp"
#include "lab/experiments/circle_readers/windows.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/simultaneous.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/subject/table_of.hpp"
#include "model/parameters.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_model.hpp"

using namespace summand::lab;
using namespace summand::lab::circle_readers;
namespace model = summand::model;

namespace {

using Eigen::Index;

constexpr double kRounding = 1e-9;
constexpr size_t kRows = 160;
constexpr Index kHidden = 64;
constexpr size_t kHeads = 4;
const std::vector<double> kTurns{4, 13, 40};
constexpr const char* kTokens = "embeddings.word_embeddings.weight";
constexpr const char* kPositions = "embeddings.position_embeddings.weight";

/// Circles of radius 1, the i-th in columns 2i and 2i + 1, some noise, and a row 0 of its own.
Table coordinate_circles(const std::vector<double>& turns = kTurns, Index columns = kHidden) {
  Table table = 0.02 * planted::gaussian(kRows, static_cast<size_t>(columns), "circle noise");
  for (Index row = 0; row < table.rows(); ++row) {
    for (size_t i = 0; i < turns.size(); ++i) {
      const double angle = 2 * std::numbers::pi * turns[i] * static_cast<double>(row) / static_cast<double>(kRows);
      table(row, static_cast<Index>(2 * i)) += std::cos(angle);
      table(row, static_cast<Index>(2 * i + 1)) += std::sin(angle);
    }
  }
  table.row(0) = 3 * planted::gaussian(1, static_cast<size_t>(columns), "first row");
  return table;
}

Table ordinary_rows(const Table& table, const CirclePositions& of) {
  std::vector<Index> ordinary;
  for (Index row = 0; row < table.rows(); ++row) {
    if (!std::ranges::binary_search(of.kept(), static_cast<size_t>(row))) ordinary.push_back(row);
  }
  return table(ordinary, Eigen::all);
}

/// Ordinary rows less their mean, along a plane's axes.
Table path_of(const Table& table, const CirclePositions& like, const PositionPlane& plane) {
  return centred(ordinary_rows(table, like)) * plane.axes.transpose();
}

Table outside(const Table& change, const PositionPlane& plane) {
  return change - change * plane.axes.transpose() * plane.axes;
}

double angle_of(const Table& path, Index row) {
  return std::atan2(path(row, 1), path(row, 0));
}

void put(model::Weights& weights, const std::string& name, const Table& table) {
  std::vector<float> values(static_cast<size_t>(table.size()));
  std::ranges::transform(elements(table), values.begin(), [](double value) { return static_cast<float>(value); });
  weights.set(name, model::make_tensor(weights.at(name).shape, values));
}

void clear(model::Weights& weights, const std::string& name) {
  put(weights, name, Table(0 * table_of(weights.at(name))));
}

/// Two layers on a table of circles; heads of the first read circle i with strength gains(head, i), by nothing but
/// columns 2i and 2i + 1, those of the second attend to all alike.
summand::lab::Subject readers(const Table& gains, const std::function<void(model::Weights&)>& change = {},
                              const std::vector<summand::Head>& heads = {}) {
  return planted::model_of({.hidden = kHidden,
                            .heads = int64_t{kHeads},
                            .intermediate = 32,
                            .layers = 2,
                            .positions = int64_t{kRows},
                            .vocabulary = 5 + int64_t{planted::kWords}},
                           {.heads = heads}, [&](model::Weights& weights) {
                             put(weights, kPositions, coordinate_circles());
                             put(weights, kTokens, Table(0.1 * table_of(weights.at(kTokens))));
                             put(weights, "embeddings.LayerNorm.weight", Table(Table::Ones(1, kHidden)));
                             clear(weights, "embeddings.LayerNorm.bias");
                             constexpr Index kSize = kHidden / Index{kHeads};
                             Table reads = Table::Zero(kHidden, kHidden);
                             for (Index head = 0; head < Index{kHeads}; ++head) {
                               for (Index i = 0; i < gains.cols(); ++i) {
                                 for (Index axis = 0; axis < 2; ++axis)
                                   reads(head * kSize + 2 * i + axis, 2 * i + axis) = gains(head, i);
                               }
                             }
                             for (const char* part : {"attention.self.query", "attention.self.key"}) {
                               for (size_t layer = 0; layer < 2; ++layer) {
                                 clear(weights, model::layer_parameter(layer, part) + ".weight");
                                 clear(weights, model::layer_parameter(layer, part) + ".bias");
                               }
                               put(weights, model::layer_parameter(0, part) + ".weight", reads);
                             }
                             if (change) change(weights);
                           });
}

/// Head i reads circle i, the last one nothing.
Table one_circle_each() {
  Table gains = Table::Zero(Index{kHeads}, 3);
  gains.topRows(3).diagonal().setConstant(0.7);
  return gains;
}

/// All heads read all circles, each head more strongly than the one before.
Table one_profile() {
  Table gains(Index{kHeads}, 3);
  gains.rowwise() = Eigen::RowVector3d(0.6, 0.45, 0.3);
  for (Index head = 0; head < gains.rows(); ++head) gains.row(head) *= 0.5 + 0.25 * static_cast<double>(head);
  return gains;
}

/// Numbers with one of them changed.
Numbers with(const Numbers& numbers, const std::string& name, const std::function<void(Number&)>& change) {
  Numbers changed;
  for (Number number : numbers.all()) {
    if (number.name == name) change(number);
    changed.add(std::move(number));
  }
  return changed;
}

planted::Ran ran(const summand::lab::Subject& subject, int threads = 1) {
  return planted::run(circle_readers_experiment(), subject, threads);
}

/// Effects of planes on heads: products with noise, window by window.
std::vector<HeadEffects> effects(const Table& attention, const Table& logits, double noise, size_t windows = 12) {
  std::vector<HeadEffects> planes;
  summand::RandomStream stream(4, "effects");
  for (Index plane = 0; plane < attention.cols(); ++plane) {
    HeadEffects one;
    for (auto [of, to] : {std::pair{&attention, &one.attention}, std::pair{&logits, &one.logits}}) {
      *to = of->col(plane).transpose().replicate(static_cast<Index>(windows), 1);
      for (double& value : to->reshaped()) value += noise * stream.normal();
    }
    planes.push_back(std::move(one));
  }
  return planes;
}

Comparisons comparisons_of(const std::vector<HeadEffects>& planes, size_t heads) {
  return {planes, heads, {.seed = 3, .name = "comparisons", .count = 300}};
}

}  // namespace

TEST_CASE("simultaneous intervals: one quantity has the normal law's, many have the law of their largest") {
  const Draws draws{.seed = 1, .name = "bound", .count = 4000};
  CHECK(simultaneous_means(planted::gaussian(400, 1, "one"), draws).bound == doctest::Approx(1.96).epsilon(0.04));
  // Šidák: the quantile at (1 + .95^(1/60)) / 2.
  CHECK(simultaneous_means(planted::gaussian(2000, 60, "sixty"), draws).bound == doctest::Approx(3.34).epsilon(0.03));
}

TEST_CASE("simultaneous intervals hold all means at once in 95 of 100 cases, of few items too") {
  size_t held = 0;
  constexpr size_t kCases = 300;
  for (size_t i = 0; i < kCases; ++i) {
    const Table samples = planted::gaussian(8, 40, "case " + std::to_string(i));
    const auto means = simultaneous_means(samples, {.seed = i, .name = "case", .count = 200});
    bool all = true;
    for (Index quantity = 0; quantity < 40; ++quantity) {
      const Interval interval = means.interval(quantity);
      all = all && interval.low <= 0 && 0 <= interval.high;
    }
    held += all ? 1 : 0;
  }
  // Of 300 cases at .95 fewer than 272 or more than 297 come up in one of a thousand.
  CHECK(held >= 272);
  CHECK(held <= 297);
}

TEST_CASE("what does not vary has an interval of no width, and one item has none") {
  Table samples = planted::gaussian(9, 2, "constant");
  samples.col(1).setConstant(0.25);
  const auto means = simultaneous_means(samples, {.seed = 1, .name = "constant", .count = 50});
  CHECK(means.interval(1).low == 0.25);
  CHECK(means.interval(1).high == 0.25);
  CHECK(means.error(0) == doctest::Approx(std::sqrt(centred(samples).col(0).squaredNorm() / 8 / 9)));
  CHECK_THROWS_AS(static_cast<void>(simultaneous_means(samples.topRows(1), {.seed = 1, .name = "one", .count = 50})),
                  summand::UsageError);
}

TEST_CASE("the circles of a table are found, and no change touches row 0, the last, or what lies outside the plane") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  REQUIRE(positions.planes().size() == 3);
  CHECK(positions.kept() == std::vector<size_t>{0, kRows - 1});
  constexpr size_t kInUse = 101;
  for (size_t i = 0; i < 3; ++i) {
    const auto& plane = positions.planes()[i];
    CAPTURE(i);
    // The plane is that of the two columns.
    CHECK(plane.axes.middleCols(static_cast<Index>(2 * i), 2).squaredNorm() == doctest::Approx(2).epsilon(0.01));
    for (const Table& changed :
         {positions.stopped(std::span(&plane, 1), kInUse), positions.reversed(plane), positions.sped_up(plane)}) {
      const Table change = changed - table;
      CHECK(change.norm() > 1);
      CHECK(outside(change, plane).norm() < kRounding);
      for (const size_t row : positions.kept()) CHECK(change.row(static_cast<Index>(row)).isZero(0));
    }
  }
}

TEST_CASE("a stopped circle stands still where the rows in use have their mean, and nothing else does") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  constexpr Index kInUse = 101;
  const auto& plane = positions.planes()[1];
  const Table stopped = positions.stopped(std::span(&plane, 1), kInUse);
  const Eigen::RowVectorXd mean = table.middleRows(1, kInUse - 1).colwise().mean();
  for (const Index row : {Index{1}, Index{40}, kInUse - 1}) {
    CHECK(((stopped.row(row) - mean) * plane.axes.transpose()).norm() < kRounding);
  }
  // All rows in use have the mean that they had.
  CHECK((stopped.middleRows(1, kInUse - 1).colwise().mean() - mean).norm() < kRounding);
  const Table all = positions.stopped(positions.planes(), kInUse);
  CHECK((all.middleRows(1, 100).leftCols(6).rowwise() - mean.leftCols(6)).cwiseAbs().maxCoeff() < 0.05);
  const Table none = positions.without_order(kInUse);
  CHECK((none.middleRows(1, static_cast<Index>(kRows) - 2).rowwise() - mean).norm() < kRounding);
  CHECK(none.row(0) == table.row(0));
}

TEST_CASE("reversed twice is the table itself, and angles from the first ordinary row change their sign") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  for (const auto& plane : positions.planes()) {
    const Table reversed = positions.reversed(plane);
    CHECK((CirclePositions(reversed).reversed(plane) - table).norm() < kRounding);
    const Table before = path_of(table, positions, plane);
    const Table after = path_of(reversed, positions, plane);
    CHECK(angle_of(before, 0) == doctest::Approx(0).epsilon(kRounding));
    for (const Index row : {0, 3, 90}) {
      CHECK(angle_of(after, row) == doctest::Approx(-angle_of(before, row)));
      CHECK(after.row(row).norm() == doctest::Approx(before.row(row).norm()));
    }
  }
}

TEST_CASE("a circle that is sped up turns by twice the angle at each step, at the radius that it had") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  const auto& plane = positions.planes()[0];
  const Table before = path_of(table, positions, plane);
  // Doubling may move the mean row: angles are about the one before.
  const Table change = ordinary_rows(positions.sped_up(plane) - table, positions);
  const Table after = before + change * plane.axes.transpose();
  for (const Index row : {1, 7, 20}) {
    CHECK(std::remainder(angle_of(after, row) - 2 * angle_of(before, row), 2 * std::numbers::pi) ==
          doctest::Approx(0).epsilon(1e-6));
    CHECK(after.row(row).norm() == doctest::Approx(before.row(row).norm()));
  }
}

TEST_CASE("random planes cut the circles' span at right angles, and take as much of the variance as the circles") {
  const CirclePositions positions(coordinate_circles({4, 13, 40}));
  const auto planes = positions.random_planes(7, 0);
  REQUIRE(planes.size() == 3);
  Table own(6, kHidden);
  Table cut(6, kHidden);
  for (Index i = 0; i < 3; ++i) {
    own.middleRows(2 * i, 2) = positions.planes()[static_cast<size_t>(i)].axes;
    cut.middleRows(2 * i, 2) = planes[static_cast<size_t>(i)].axes;
  }
  CHECK((cut * cut.transpose()).isIdentity(kRounding));
  CHECK((cut * own.transpose() * own - cut).norm() < kRounding);
  for (size_t i = 0; i < 3; ++i) {
    const Table table = coordinate_circles();
    const double of_circle = path_of(table, positions, positions.planes()[i]).squaredNorm();
    const double of_plane = path_of(table, positions, planes[i]).squaredNorm();
    CHECK(planes[i].factor * planes[i].factor * of_plane == doctest::Approx(of_circle));
    // None is a circle's own.
    CHECK((planes[i].axes * positions.planes()[i].axes.transpose()).squaredNorm() < 1.9);
  }
  CHECK(positions.random_planes(7, 1).front().axes != planes.front().axes);
}

TEST_CASE("noise has no circles to change") {
  CHECK(CirclePositions(planted::gaussian(kRows, 32, "no circles")).planes().empty());
  CHECK(CirclePositions(planted::gaussian(40, 8, "few rows")).planes().empty());
  CHECK(CirclePositions(Table::Ones(kRows, 8)).planes().empty());
}

TEST_CASE("windows hold every word at most once, all of one length, between their special tokens") {
  const auto subject = readers(one_circle_each());
  summand::RandomStream stream(3, "windows");
  const Windows windows = windows_of(subject, 5, stream);
  REQUIRE(windows.count() == 5);
  CHECK(windows.front == 1);
  CHECK(windows.length() == windows.words + 2);
  CHECK(windows.words <= 126);
  CHECK(windows.words >= kLeastWords);
  const auto special = std::ranges::count(windows.texts.special, true);
  CHECK(special == 10);
  size_t total = 0;
  for (const auto& text : subject.corpus.sentences) total += static_cast<size_t>(std::ranges::count(text.special, 0));
  CHECK(5 * windows.words <= total);
  for (size_t i = 0; i < 5; ++i) CHECK(windows.texts.batch.length(i) == windows.length());
}

TEST_CASE(
    "attention by offset is the mean over words of what goes so far, and logits are each word's less their mean") {
  const auto subject = readers(one_circle_each());
  summand::RandomStream stream(3, "windows");
  const Windows windows = windows_of(subject, 2, stream);
  const auto engine = engine_with_positions(subject, subject.positions, 1);
  // Rows given by the tap, beside an engine that has them.
  const CirclePositions positions(subject.positions);
  const Table table = positions.reversed(positions.planes()[0]);
  const WindowRun run = run_windows(engine, windows, table, SentenceVector::mean);
  REQUIRE(run.windows.size() == 2);
  watch_attention(engine_with_positions(subject, table, 1), windows.texts.batch, {}, [&](const TextAttention& text) {
    const auto n = static_cast<Index>(windows.words);
    for (size_t head = 0; head < kHeads; ++head) {
      const Table scores = text.scores[0][head].block(1, 1, n, n);
      const auto& window = run.windows[text.text];
      CHECK(window.attention.row(static_cast<Index>(head)).sum() == doctest::Approx(1));
      for (const Index offset : {Index{0}, Index{-3}, Index{32}}) {
        double attention = 0;
        double logits = 0;
        double pairs = 0;
        for (Index i = 0; i < n; ++i) {
          if (i + offset < 0 || i + offset >= n) continue;
          double sum = 0;
          for (Index j = 0; j < n; ++j) sum += std::exp(scores(i, j));
          attention += std::exp(scores(i, i + offset)) / sum / static_cast<double>(n);
          logits += scores(i, i + offset) - scores.row(i).mean();
          ++pairs;
        }
        const Index column = offset + Index{kReach} + 1;
        CHECK(window.attention(static_cast<Index>(head), column) == doctest::Approx(attention).epsilon(1e-6));
        CHECK(window.logits(static_cast<Index>(head), column) == doctest::Approx(logits / pairs).epsilon(1e-6));
      }
    }
  });
  const auto nothing = effects_of(run, run);
  CHECK(nothing.attention.isZero(0));
  CHECK(nothing.logits.isZero(0));
  const auto own = run_windows(engine, windows, subject.positions, SentenceVector::mean);
  const auto reversed = effects_of(run, own);
  const Table apart = (run.windows[1].attention - own.windows[1].attention).row(0);
  CHECK(reversed.attention(1, 0) == doctest::Approx(apart.cwiseAbs().sum() / 2));
}

TEST_CASE("heads that weigh all planes alike do not cross, however strong they are and whatever else is measured") {
  Table product(6, 3);
  for (Index head = 0; head < 6; ++head) product.row(head) << 0.3, 0.2, 0.1;
  for (Index head = 0; head < 6; ++head) product.row(head) *= 0.2 * static_cast<double>(head);
  const auto comparisons = comparisons_of(effects(product, 5 * product, 0.001), 6);
  const auto crossing = comparisons.crossing();
  CHECK((!crossing || crossing->attention().interval.low <= 0));
  CHECK(comparisons.possible() < 0.01);
  CHECK(comparisons.lead_of(0).attention.interval.low > 0.09);
  CHECK(comparisons.possible_lead_of(2) < 0.01);
  // In attention alone they may: two heads of one mixture, one so strong that it is full.
  Table full = product;
  full.row(5) << 0.3, 0.4, 0.1;
  CHECK(comparisons_of(effects(full, 5 * product, 0.001), 6).possible() < 0.01);
}

TEST_CASE("two heads cross where each is moved more by a plane of its own, in one layer alone") {
  Table moved = Table::Constant(4, 3, 0.05);
  moved(0, 0) = 0.4;  // by plane 0
  moved(3, 2) = 0.3;  // by plane 2
  const auto planes = effects(moved, 10 * moved, 0.002);
  const auto crossing = comparisons_of(planes, 4).crossing();
  REQUIRE(crossing);
  CHECK(crossing->slower == 0);
  CHECK(crossing->faster == 2);
  CHECK(crossing->of_slower.head == 0);
  CHECK(crossing->of_faster.head == 3);
  CHECK(crossing->attention().value == doctest::Approx(0.25).epsilon(0.02));
  CHECK(crossing->attention().interval.low > 0.2);
  CHECK(crossing->attention().interval.high < 0.3);
  CHECK(crossing->logits().value == doctest::Approx(2.5).epsilon(0.02));
  // Heads 0 and 3 are now in layers of two.
  CHECK(comparisons_of(planes, 2).possible() < 0.02);
  CHECK(comparisons_of(planes, 4).lead_of(2).head == 3);
}

TEST_CASE("heads that read one circle each: the model reads the circles apart, one by one") {
  const auto subject = readers(one_circle_each());
  const auto own = ran(subject);
  CHECK(own.observation("X3") == Observation::holds);
  CHECK(own.inference("X3") == Inference::follows);
  CHECK(own.value("X3", "crossing_layer") == 1);
  const auto slower = own.value("X3", "slower_head");
  const auto faster = own.value("X3", "faster_head");
  CHECK(slower < faster);  // head i reads circle i, slowest first
  CHECK(faster <= 3);
  const double degrees = 360 * kTurns[static_cast<size_t>(faster) - 1] / static_cast<double>(kRows);
  CHECK(own.value("X3", "faster_degrees") == doctest::Approx(degrees).epsilon(0.02));
  CHECK(own.value("X3", "last_layer") == doctest::Approx(0).epsilon(1e-6));
  REQUIRE(own.findings.figures.size() == 4);
  planted::check_besides(own.findings, "X3");
}

TEST_CASE("heads of one profile, each stronger than the one before: the model does not read the circles apart") {
  const auto own = ran(readers(one_profile()));
  CHECK(own.observation("X3") == Observation::fails);
  CHECK(own.inference("X3") == Inference::not_tested);
}

TEST_CASE("heads that read planes that lie anyhow among the circles: they tell these apart no better than others") {
  // The circles are as good as any cut: by chance they beat all 19 others one time in 20.
  constexpr size_t kTimes = 10;
  constexpr size_t kByChance = 2;
  constexpr Index kSize = kHidden / Index{kHeads};
  size_t crossed = 0;
  size_t held = 0;
  for (size_t time = 0; time < kTimes; ++time) {
    summand::RandomStream stream(time, "random planes");
    const Table frame = random_frame(6, 6, stream);
    const auto subject = readers(one_circle_each(), [&](model::Weights& weights) {
      for (const char* part : {"attention.self.query.weight", "attention.self.key.weight"}) {
        const std::string name = model::layer_parameter(0, part);
        Table reads = table_of(weights.at(name));
        for (Index head = 0; head < 3; ++head) {
          reads.block(head * kSize, 0, kSize, 6).setZero();
          reads.block(head * kSize, 0, 2, 6) = 0.7 * frame.middleRows(2 * head, 2);
        }
        put(weights, name, reads);
      }
    });
    const auto own = ran(subject);
    crossed += own.value("X3", "crossing") > kLeast ? 1 : 0;
    held += own.observation("X3") == Observation::holds ? 1 : 0;
  }
  CHECK(crossed > kByChance);  // heads cross, as they do in random planes
  CHECK(held <= kByChance);
}

TEST_CASE("the rule asks for all that it says") {
  const auto own = ran(readers(one_circle_each()));
  const Numbers& numbers = own.findings.numbers.at("X3");
  const auto experiment = circle_readers_experiment();
  const auto judged = [&](const std::string& name, const std::function<void(Number&)>& change) {
    return experiment.rules.front().judge(with(numbers, name, change)).observation;
  };
  CHECK(judged("crossing", [](Number&) {}) == Observation::holds);
  CHECK(judged("crossing", [](Number& one) { one.interval->low = kLeast - 0.01; }) == Observation::cannot_be_told);
  CHECK(judged("crossing", [](Number& one) { one.control->interval->low = 0; }) == Observation::cannot_be_told);
  CHECK(judged("crossing", [](Number& one) { one.null->interval->high = 0.2; }) == Observation::cannot_be_told);
  CHECK(judged("crossing_logits", [](Number& one) { one.interval->low = -0.01; }) == Observation::cannot_be_told);
  CHECK(judged("random_crossing", [](Number& one) { one.interval->high = 0.9; }) == Observation::cannot_be_told);
  const auto inferred = [&](const std::string& name, const std::function<void(Number&)>& change) {
    return experiment.rules.front().judge(with(numbers, name, change)).inference;
  };
  CHECK(inferred("lead_of_2", [](Number& one) { one.interval->low = 0.01; }) == Inference::not_tested);
  CHECK(inferred("lead_of_2", [](Number& one) { one.control->interval->low = 0.01; }) == Inference::not_tested);
  CHECK(inferred("possible_lead_of_2", [](Number& one) { one.value = 0.01; }) == Inference::does_not_follow);
}

TEST_CASE("heads that read no position: nothing can be told") {
  const auto own = ran(readers(Table::Zero(Index{kHeads}, 3)));
  CHECK(own.observation("X3") == Observation::cannot_be_told);
}

TEST_CASE("where two circles are read by heads of their own and a third by none, they are not read one by one") {
  Table gains = one_circle_each();
  gains(1, 1) = 0;
  const auto own = ran(readers(gains));
  CHECK(own.observation("X3") == Observation::holds);
  CHECK(own.inference("X3") == Inference::does_not_follow);
}

TEST_CASE("circle readers: a constant moved between the tables, and a common scale, change no verdict") {
  const auto before = ran(readers(one_circle_each()));
  const auto after = ran(readers(one_circle_each(), [](model::Weights& weights) {
    const Table common = planted::gaussian(1, kHidden, "common");
    const Table tokens = table_of(weights.at(kTokens));
    const Table positions = table_of(weights.at(kPositions));
    const std::string segments = "embeddings.token_type_embeddings.weight";
    put(weights, kTokens, (tokens.rowwise() + common.row(0)) / 4);
    put(weights, kPositions, (positions.rowwise() - common.row(0)) / 4);
    put(weights, segments, table_of(weights.at(segments)) / 4);
  }));
  CHECK(after.observation("X3") == before.observation("X3"));
  for (const char* name : {"crossing", "random_crossing", "lead_of_2", "all_stopped"}) {
    CAPTURE(name);
    CHECK(after.value("X3", name) == doctest::Approx(before.value("X3", name)).epsilon(1e-3));
  }
}

TEST_CASE("circle readers: the same numbers on any number of threads") {
  const auto subject = readers(one_circle_each());
  const auto one = ran(subject, 1);
  const auto two = ran(subject, 2);
  const auto& numbers = one.findings.numbers.at("X3").all();
  const auto& others = two.findings.numbers.at("X3").all();
  REQUIRE(numbers.size() == others.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    CHECK(numbers[i].name == others[i].name);
    CHECK(numbers[i].value == others[i].value);
  }
}

TEST_CASE("circle readers: a full run has the loss of the head, and what random planes do to the output") {
  const auto subject = readers(one_circle_each(), {}, {summand::Head::masked_language});
  const auto findings = circle_readers_experiment().run(subject, {.seed = 1, .threads = 1});
  const Numbers& numbers = findings.numbers.at("X3");
  planted::check_besides(findings, "X3");
  for (const char* name : {"masked_words_lost_1", "masked_words_lost_all", "reversed_2", "sped_up_3"}) {
    CAPTURE(name);
    CHECK(numbers.at(name).interval);
  }
  CHECK(findings.left_out.empty());
}

TEST_CASE("circle readers: a table alone, and a table without circles, are gaps") {
  CHECK(ran(planted::subject_of(coordinate_circles())).findings.gaps.contains("X3"));
  const auto white = readers(one_circle_each(), [](model::Weights& weights) {
    put(weights, kPositions, planted::gaussian(kRows, kHidden, "white positions"));
  });
  CHECK(ran(white).findings.gaps.contains("X3"));
}
