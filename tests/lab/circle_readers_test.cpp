#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

#include "lab/experiments/circle_readers/reader_numbers.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/circle_models.hpp"

using namespace summand::lab;
using namespace summand::lab::circle_readers;
using namespace circle_models;

namespace {

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

}  // namespace

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
