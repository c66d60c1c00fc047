// The cost experiment: counters against formulas, heads by loop against heads by reshape.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/attention_cost/attention_figures.hpp"
#include "lab/experiments/attention_cost/attention_times.hpp"
#include "lab/experiments/attention_cost/counted_attention.hpp"
#include "lab/experiments/experiments.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using planted::run;

namespace {

Subject with_positions(size_t positions) {
  return planted::checkpoint({positions, 64}, [](planted::ThreeTables&) {});
}

const Subject& plain() {
  static const Subject subject = with_positions(48);
  return subject;
}

AttentionInput drawn(const AttentionSize& size) {
  RandomStream stream(1, "attention");
  return AttentionInput::drawn(size, stream);
}

/// Attention of one head by the formula, in double precision.
double context_at(const AttentionInput& input, size_t row, size_t column) {
  const auto [n, d, m] = input.size;
  const size_t a = d / m;
  const size_t first = column / a * a;
  std::vector<double> weights(n);
  double total = 0;
  for (size_t j = 0; j < n; ++j) {
    double product = 0;
    for (size_t k = first; k < first + a; ++k)
      product += double{input.query[row * d + k]} * double{input.key[j * d + k]};
    total += weights[j] = std::exp(product / std::sqrt(static_cast<double>(a)));
  }
  double sum = 0;
  for (size_t j = 0; j < n; ++j) sum += weights[j] / total * double{input.value[j * d + column]};
  return sum;
}

}  // namespace

TEST_CASE("counted attention is attention") {
  const auto input = drawn({.length = 5, .width = 12, .heads = 3});
  const auto context = count_attention(input, HeadLayout::loop).context;
  for (size_t row = 0; row < 5; ++row) {
    for (size_t column = 0; column < 12; ++column) {
      CHECK(double{context[row * 12 + column]} == doctest::Approx(context_at(input, row, column)).epsilon(1e-5));
    }
  }
}

TEST_CASE("heads by reshape and transpose are those of a loop, and the counts know no m") {
  for (const size_t heads : head_counts(64)) {
    const auto input = drawn({.length = 7, .width = 64, .heads = heads});
    const auto loop = count_attention(input, HeadLayout::loop);
    const auto reshaped = count_attention(input, HeadLayout::reshaped);
    CHECK(loop.context == reshaped.context);
    CHECK(loop.counts.products() == 2 * 7 * 7 * 64);
    CHECK(reshaped.counts.products() == 2 * 7 * 7 * 64);
    CHECK(reshaped.counts.exponentials == heads * 7 * 7);
    CHECK(count_attention(input, HeadLayout::full_width).counts.products() == heads * 2 * 7 * 7 * 64);
    if (heads > 1) CHECK(count_attention(input, HeadLayout::no_transpose).context != loop.context);
  }
  CHECK(head_counts(64) == std::vector<size_t>{1, 2, 4, 8, 16, 32, 64});
  CHECK(head_counts(384).back() == 64);
  CHECK(head_counts(13) == std::vector<size_t>{1});
}

TEST_CASE("a layer's parts cross where the formulas say") {
  const LayerOperations bert{.width = 48, .inner = 192};
  CHECK(bert.crossing_sublayer() == 2 * 48);
  CHECK(bert.crossing_layer() == 6 * 48);
  CHECK(bert.share_of_sublayer(96) == doctest::Approx(0.5));
  CHECK(bert.own(10) ==
        2.0 * static_cast<double>(counts_of({.length = 10, .width = 48, .heads = 4}, HeadLayout::loop, {}).products()));
  CHECK(bert.projections(10) == 4 * 2.0 * static_cast<double>(counted_projection(10, 48, 48)));
  CHECK(bert.feed_forward(10) == 2 * 2.0 * static_cast<double>(counted_projection(10, 48, 192)));
}

TEST_CASE("a curve's exponent and its interval come from its repetitions") {
  const TimedCurve curve{.words = {}, .sizes = {1, 2, 4}, .seconds = {{1, 1, 1, 1}, {8, 8, 8, 8}, {64, 64, 64, 64}}};
  const auto exponent = exponent_of(curve, 1, "test");
  CHECK(exponent.value == doctest::Approx(3));
  CHECK(exponent.interval.low == doctest::Approx(3));
  const TimedCurve noisy{.words = {}, .sizes = {1, 2, 4}, .seconds = {{1, 2, 1, 1}, {8, 3, 8, 8}, {64, 9, 64, 64}}};
  CHECK(exponent_of(noisy, 1, "test").interval.low < 2);
}

TEST_CASE("heads cost no more products, and attention costs n²d whatever the longest text is") {
  const auto ran = run(attention_cost_experiment(), plain());
  CHECK(ran.observation("Q5b") == Observation::fails);
  CHECK(ran.inference("Q5b") == Inference::does_not_follow);
  CHECK(ran.value("Q5b", "most_heads_over_one") == 1);
  CHECK(ran.value("Q5b", "reshape_difference") == 0);
  CHECK(ran.observation("Q5") == Observation::holds);
  CHECK(ran.inference("Q5") == Inference::follows);  // with 48 positions, where the projections cost more
  CHECK(ran.value("Q5", "steps_over_square") <= 3);
  CHECK(ran.findings.numbers.at("Q5").null("steps_over_square") > 3);
  CHECK(ran.value("Q5", "crossing_with_projections") == 128);
  CHECK(run(attention_cost_experiment(), with_positions(200)).inference("Q5") == Inference::follows);
}

TEST_CASE("measured times move no number") {
  const auto first = run(attention_cost_experiment(), plain());
  const auto again = run(attention_cost_experiment(), plain(), 2);
  for (const char* claim : {"Q5", "Q5b"}) {
    CHECK(first.verdicts.at(claim).reason == again.verdicts.at(claim).reason);
    for (const auto& number : first.findings.numbers.at(claim).all()) {
      CAPTURE(number.name);
      CHECK(again.value(claim, number.name) == number.value);
    }
  }
  CHECK(first.answer == again.answer);
}

TEST_CASE("the rules of cost turn with what is counted") {
  const LocalizedText of{"made up", "虚构"};
  const auto heads = [&](double exponent, double null, double ratio) {
    Numbers numbers;
    numbers.add(NumberBuilder("exponent_of_heads", of, exponent).null(null, of).control(0, of));
    numbers.add(NumberBuilder("most_heads_over_one", of, ratio).null(64, of).control(1, of));
    numbers.add(NumberBuilder("softmax_exponent_of_heads", of, 1).null(0, of).control(1, of));
    numbers.add(NumberBuilder("reshape_difference", of, 0).null(1, of).control(0, of));
    return attention_cost_experiment().rules[1].judge(numbers);
  };
  CHECK(heads(0, 1, 1).observation == Observation::fails);
  CHECK(heads(1, 1, 64).observation == Observation::holds);
  CHECK(heads(1, 1, 64).inference == Inference::not_tested);
  CHECK(heads(0, 0, 1).observation == Observation::cannot_be_told);
}

TEST_CASE("a width of one head only, and a table alone, are gaps of cost") {
  Subject subject = plain();
  subject.model = nullptr;
  const auto ran = run(attention_cost_experiment(), subject);
  CHECK(ran.findings.gaps.contains("Q5"));
  CHECK(ran.findings.gaps.contains("Q5b"));
}
