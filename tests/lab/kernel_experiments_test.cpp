#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/kernel/kernels.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_outcome.hpp"

using namespace summand::lab;
using planted::outcome_of;
using planted::sine;
using planted::subject_of;

TEST_CASE("the sinusoid's kernel has the ledger's values") {
  constexpr double kThird = 6e-4;  // of values given with three digits
  const Vector wide = sum_kernel(exponential_frequency(1e4), 768, 512);
  for (const auto& [distance, value] :
       std::map<Eigen::Index, double>{{1, 0.973}, {8, 0.723}, {64, 0.486}, {511, 0.246}}) {
    CHECK(std::abs(wide(distance) - value) < kThird);
  }
  CHECK(wide(0) == 1);
  CHECK(std::abs(wide.minCoeff() - 0.244) < kThird);
  CHECK(std::abs(falling_share(wide) - 0.64) < 0.005);
  // The ledger counts steps: step 44 leads from distance 43 to 44, the first that rises.
  CHECK(first_rising_step(wide) == 44);
  CHECK(first_rising_step(sum_kernel(exponential_frequency(1e4), 384, 512)) == 25);
  const Vector thousand = sum_kernel(exponential_frequency(1e3), 768, 512);
  CHECK(std::abs(thousand(64) - 0.316) < kThird);
  CHECK(std::abs(thousand(511) - 0.034) < kThird);
  CHECK(first_rising_step(thousand) == 69);
}

TEST_CASE("sum, integral and logarithm agree where they must") {
  const Vector sum = sum_kernel(exponential_frequency(1e4), 200'000, 65);
  const Vector integral = integral_kernel(exponential_frequency(1e4), 65);
  CHECK((sum - integral).cwiseAbs().maxCoeff() < 1e-4);
  CHECK(std::abs(integral(64) - logarithmic_kernel(1e4, 65)(64)) < 0.01);
  // ∫cos(x·t) dt over [0, 1] is sin(x)/x.
  const Vector linear = integral_kernel(power_frequency(1), 40);
  for (Eigen::Index x = 1; x < 40; ++x) {
    CHECK(linear(x) == doctest::Approx(std::sin(static_cast<double>(x)) / static_cast<double>(x)).epsilon(1e-9));
  }
  const Vector upper = envelope(sum_kernel(exponential_frequency(1e4), 64, 300));
  for (Eigen::Index x = 1; x < upper.size(); ++x) CHECK(upper(x) <= upper(x - 1));
}

TEST_CASE("rotation of the table leaves every kernel unchanged") {
  constexpr double kRounding = 1e-10;
  for (const Table& table : {sine(120, 32), planted::walk(120, 32, "turned"), planted::gaussian(120, 32, "turned")}) {
    summand::RandomStream stream(3, "turn");
    const Table turned = rotated(table, stream);
    CHECK((turned - table).cwiseAbs().maxCoeff() > 0.1);
    const Vector before = table_kernel(placed_rows(table));
    const Vector after = table_kernel(placed_rows(turned));
    CHECK((before - after).cwiseAbs().maxCoeff() < kRounding);
    CHECK(std::abs(fit_frequencies(before).r2 - fit_frequencies(after).r2) < 1e-6);
  }
}

TEST_CASE("rows that are left out leave the others' distances as they are") {
  const Table table = planted::gaussian(150, 40, "left out");
  const size_t left_out[]{0, 70};
  const Vector kernel = table_kernel(placed_rows(table, left_out));
  const Table around = centred(placed_rows(table, left_out).rows);
  // Of two rows 9 apart, the first and the last pair: row 69 is row 68 of those that are left.
  double sum = 0;
  double pairs = 0;
  for (Eigen::Index x = 1; x + 9 < 150; ++x) {
    if (x == 70 || x + 9 == 70) continue;
    const auto row = [&](Eigen::Index position) { return around.row(position - (position > 70 ? 2 : 1)); };
    sum += row(x).dot(row(x + 9));
    pairs += 1;
  }
  CHECK(kernel(9) == doctest::Approx(sum / pairs / (around.squaredNorm() / 148)));
  CHECK(kernel(0) == 1);
}

TEST_CASE("the base of a sinusoid is found from its inner products, and free frequencies find a planted one") {
  const Vector of_1000 = sum_kernel(exponential_frequency(1000), 64, 256);
  CHECK(fit_base(of_1000, 64).base == doctest::Approx(1000).epsilon(0.001));
  CHECK(fit_base(of_1000, 64).r2 > 0.999999);
  // A table has lost its mean row, and with it some of the slowest waves.
  CHECK(fit_base(table_kernel(placed_rows(sine(256, 64, 1000))), 64).r2 > 0.95);
  Vector kernel(256);
  for (Eigen::Index x = 0; x < 256; ++x) kernel(x) = std::cos(0.3 * static_cast<double>(x));
  const auto free = fit_frequencies(kernel);
  CHECK(free.r2 > 0.9);
  CHECK(free.quantile(0.5) == doctest::Approx(0.3).epsilon(0.1));
  CHECK(free.shares.minCoeff() >= 0);
}

TEST_CASE("4.3, 4.4: the verdicts are of the sinusoid at a table's width and length, whatever the table") {
  const auto outcome = outcome_of(kernel_experiment(), subject_of(planted::walk(512, 384, "kernel")));
  INFO(outcome.verdicts.at("4.3").reason.en);
  CHECK(outcome.observation("4.3") == Observation::holds);
  CHECK(outcome.inference("4.3") == Inference::follows);
  INFO(outcome.verdicts.at("4.4").reason.en);
  CHECK(outcome.observation("4.4") == Observation::holds);
  CHECK(outcome.inference("4.4") == Inference::not_tested);
}

TEST_CASE("4.3: with few frequencies the sum falls, and not because its integral does") {
  const auto outcome = outcome_of(kernel_experiment(), subject_of(planted::walk(512, 64, "kernel")));
  INFO(outcome.verdicts.at("4.3").reason.en);
  CHECK(outcome.observation("4.3") == Observation::holds);
  CHECK(outcome.value("4.3", "beside_integral") > 0.1);
  CHECK(outcome.inference("4.3") == Inference::does_not_follow);
}

TEST_CASE("4.3: with one frequency it does not fall, with five it cannot be told, and then nothing is concluded") {
  const auto one = outcome_of(kernel_experiment(), subject_of(planted::gaussian(200, 2, "one")));
  INFO(one.verdicts.at("4.3").reason.en);
  CHECK(one.observation("4.3") != Observation::holds);
  CHECK(one.inference("4.3") != Inference::follows);
  const auto rules = kernel_experiment().rules;
  const auto judged = [&](double of_distance, double tendency, double farthest, double beside_integral) {
    Numbers numbers;
    const auto add = [&](const char* name, double value, double null, double control) {
      numbers.add(NumberBuilder(name, {"n", "数"}, value).null(null, {"n", "零"}).control(control, {"c", "对照"}));
    };
    add("of_distance", of_distance, 0, 1);
    add("tendency", tendency, 0, 1);
    add("envelope_farthest", farthest, 1, 0.3);
    add("beside_integral", beside_integral, 2, 0);
    for (const char* name : {"g_farthest", "first_rising_step", "falling_share", "own_of_distance"}) add(name, 0, 0, 0);
    return rules.front().judge(numbers);
  };
  CHECK(judged(1, 0.9, 0.3, 0.05).observation == Observation::holds);
  CHECK(judged(1, 0.9, 0.3, 0.05).inference == Inference::follows);
  CHECK(judged(1, 0.9, 0.3, 0.2).inference == Inference::does_not_follow);
  CHECK(judged(1, 0.3, 0.3, 0.05).observation == Observation::cannot_be_told);
  CHECK(judged(1, 0.3, 0.3, 0.05).inference == Inference::not_tested);
  CHECK(judged(0.9, 0.9, 0.3, 0.05).observation == Observation::fails);
  CHECK(judged(0.9, 0.9, 0.3, 0.05).inference == Inference::does_not_follow);
  CHECK(judged(1, 0, 0.3, 0.05).observation == Observation::fails);
}

TEST_CASE("4.3, 4.4: a vector moved to the tokens and a scale change no number") {
  const Table table = planted::walk(200, 48, "rewritten");
  Table other = table / 32;
  other.rowwise() += planted::gaussian(1, 48, "shift").row(0);
  const auto own = outcome_of(kernel_experiment(), subject_of(table));
  const auto same = outcome_of(kernel_experiment(), subject_of(other));
  for (const char* claim : {"4.3", "4.4"}) {
    CHECK(same.observation(claim) == own.observation(claim));
    for (const auto& number : own.findings.numbers.at(claim).all()) {
      CAPTURE(number.name);
      CHECK(same.value(claim, number.name) == doctest::Approx(number.value).epsilon(1e-6));
    }
  }
}

TEST_CASE("a diagonal H gives m − n and m + n alone, equal pairs no m + n") {
  const auto experiment = toeplitz_experiment();
  const auto circles = outcome_of(experiment, subject_of(sine(96, 24, 30)));
  INFO(circles.verdicts.at("4.5").reason.en);
  CHECK(circles.observation("4.5") == Observation::holds);
  CHECK(circles.inference("4.5") == Inference::follows);
  const auto walk = outcome_of(experiment, subject_of(planted::walk(96, 24, "toeplitz")));
  CHECK(walk.observation("4.5") == Observation::holds);
  CHECK(walk.inference("4.5") != Inference::does_not_follow);  // distances in a walk are of n − m
}

TEST_CASE("the covariance check passes for noise, so nothing follows; columns of one course fail it") {
  const auto experiment = covariance_experiment();
  const auto noise = outcome_of(experiment, subject_of(planted::gaussian(300, 40, "covariance")));
  CHECK(noise.observation("4.6") == Observation::holds);
  CHECK(noise.inference("4.6") == Inference::does_not_follow);
  Table common = planted::gaussian(300, 40, "own") * 0.1;
  common.colwise() += planted::gaussian(300, 1, "common").col(0);
  const auto course = outcome_of(experiment, subject_of(common));
  INFO(course.verdicts.at("4.6").reason.en);
  CHECK(course.observation("4.6") == Observation::fails);
}
