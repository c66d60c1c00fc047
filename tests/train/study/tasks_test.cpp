// What every task of the study promises; posteriors beside an enumeration are in enumeration_test.py.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "train/tasks/interaction_task.hpp"
#include "train/tasks/strata.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

namespace {

constexpr uint64_t kSeed = 3;

/// Mean divergence of a constant distribution, or of a reader, from the posterior.
template <class Distribution>
double mean_excess(const Task& task, size_t sequences, Distribution&& of) {
  double sum = 0;
  size_t asked = 0;
  for (size_t index = 0; index < sequences; ++index) {
    const TaskSequence sequence = task.draw(DataPart::evaluation, index);
    const Matrix<double> posterior = task.posterior(sequence);
    for (size_t row = 0; row < posterior.rows(); ++row) sum += divergence(posterior.row(row), of(sequence, row));
    asked += posterior.rows();
  }
  return sum / static_cast<double>(asked);
}

}  // namespace

TEST_CASE("rows of posteriors are distributions, of every reader") {
  for (const auto name : task_names()) {
    const auto task = make_task(name, {}, kSeed);
    for (uint64_t index = 0; index < 5; ++index) {
      const TaskSequence sequence = task->draw(DataPart::evaluation, index);
      auto all = task->hidden_posteriors(sequence);
      all.emplace("posterior", task->posterior(sequence));
      for (const auto& [what, rows] : all) {
        CAPTURE(name);
        CAPTURE(what);
        REQUIRE(rows.rows() == sequence.asked.size());
        REQUIRE(rows.columns() == task->answers());
        for (size_t row = 0; row < rows.rows(); ++row) {
          CHECK(std::ranges::min(rows.row(row)) >= 0);
          CHECK(std::accumulate(rows.row(row).begin(), rows.row(row).end(), 0.0) == doctest::Approx(1).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("a sequence depends on seed, part and index alone") {
  for (const auto name : task_names()) {
    const auto task = make_task(name, {}, kSeed), same = make_task(name, {}, kSeed),
               other = make_task(name, {}, kSeed + 1);
    static_cast<void>(same->draw(DataPart::training, 0));  // drawing one changes no other
    const auto symbols = [](const Task& of, DataPart part, uint64_t index) { return of.draw(part, index).symbols; };
    const auto here = symbols(*task, DataPart::training, 7);
    CHECK(here == symbols(*same, DataPart::training, 7));
    CHECK(here != symbols(*task, DataPart::training, 8));
    CHECK(here != symbols(*task, DataPart::evaluation, 7));
    CHECK(here != symbols(*other, DataPart::training, 7));
  }
}

TEST_CASE("answers follow their posterior") {
  // The sum over draws of [answer is the likeliest] − π(likeliest) has mean 0 and a known variance.
  for (const auto name : task_names()) {
    const auto task = make_task(name, {}, kSeed);
    double difference = 0, variance = 0;
    for (uint64_t index = 0; index < 400; ++index) {
      const TaskSequence sequence = task->draw(DataPart::evaluation, index);
      const Matrix<double> posterior = task->posterior(sequence);
      for (size_t row = 0; row < posterior.rows(); ++row) {
        const auto likeliest = std::ranges::max_element(posterior.row(row)) - posterior.row(row).begin();
        const double probability = posterior.row(row)[static_cast<size_t>(likeliest)];
        difference += (sequence.answers[row] == likeliest ? 1 : 0) - probability;
        variance += probability * (1 - probability);
      }
    }
    CAPTURE(name);
    CHECK(std::abs(difference) < 4 * std::sqrt(variance));
  }
}

TEST_CASE("whoever sees less is further from the posterior, and each thing that is hidden decides some symbols") {
  for (const auto name : task_names()) {
    const auto task = make_task(name, {}, kSeed);
    const std::vector<double> constant = task->context_free();
    const double gap = mean_excess(*task, 200, [&](const auto&, size_t) { return std::span<const double>(constant); });
    MESSAGE(std::string(name), ": gap ", gap);
    CHECK(gap > 0.3);
    std::map<std::string, int> counts;
    for (uint64_t index = 0; index < 100; ++index) {
      const TaskSequence sequence = task->draw(DataPart::evaluation, index);
      for (const auto& stratum : strata(task->posterior(sequence), task->hidden_posteriors(sequence)))
        ++counts[stratum];
    }
    for (const auto& [stratum, count] : counts) MESSAGE(std::string(name), " ", stratum, " ", count);
  }
}

TEST_CASE("a pair that is held out never occurs in training, and does in evaluation") {
  const InteractionTask task({}, kSeed);
  size_t training = 0, evaluation = 0, all = 0;
  for (uint64_t index = 0; index < 300; ++index) {
    for (const auto part : {DataPart::training, DataPart::evaluation}) {
      const TaskSequence sequence = task.draw(part, index);
      for (size_t at = 0; at < sequence.symbols.size(); ++at) {
        (part == DataPart::training ? training : evaluation) += task.is_held_out(sequence.symbols[at], at) ? 1 : 0;
        all += part == DataPart::evaluation ? 1 : 0;
      }
    }
  }
  CHECK(training == 0);
  CHECK(static_cast<double>(evaluation) / static_cast<double>(all) == doctest::Approx(0.1).epsilon(0.2));
}

TEST_CASE("a reader who infers the boundary from the symbols knows more than one who does not") {
  const auto task = make_task("combined", {}, kSeed);
  double inferred = 0, averaged = 0;
  for (uint64_t index = 0; index < 40; ++index) {
    const TaskSequence sequence = task->draw(DataPart::evaluation, index);
    const Matrix<double> posterior = task->posterior(sequence);
    const HiddenPosteriors hidden = task->hidden_posteriors(sequence);
    for (size_t row = 0; row < posterior.rows(); ++row) {
      inferred += divergence(posterior.row(row), hidden.at(std::string(kBoundary)).row(row));
      averaged += divergence(posterior.row(row), hidden.at("segment").row(row));
    }
  }
  CHECK(inferred > 0);
  CHECK(inferred < averaged);
}

TEST_CASE("masks of fewer symbols are among those of more, over the same symbols") {
  const auto task = make_task("combined", {}, kSeed);
  for (uint64_t index = 0; index < 10; ++index) {
    const TaskSequence usual = task->draw(DataPart::training, index), fewer = task->draw(DataPart::training, index, 1),
                       more = task->draw(DataPart::training, index, 6);
    CHECK(fewer.symbols == usual.symbols);
    CHECK(usual.asked.size() == task->sizes().masked);
    CHECK(fewer.asked.size() == 1);
    CHECK(std::ranges::includes(usual.asked, fewer.asked));
    CHECK(std::ranges::includes(more.asked, usual.asked));
  }
}

}  // namespace summand::train
