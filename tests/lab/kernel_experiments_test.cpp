#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/kernel/kernels.hpp"
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
    const Vector before = table_kernel(table, 120);
    const Vector after = table_kernel(turned, 120);
    CHECK((before - after).cwiseAbs().maxCoeff() < kRounding);
    CHECK(std::abs(fit_frequencies(before).r2 - fit_frequencies(after).r2) < 1e-6);
  }
}

TEST_CASE("the base of a sinusoid is found from its inner products, and free frequencies find a planted one") {
  CHECK(fit_base(table_kernel(sine(256, 64, 1000), 256), 64).base == doctest::Approx(1000).epsilon(0.13));
  CHECK(fit_base(table_kernel(sine(256, 64, 1000), 256), 64).r2 > 0.999);
  Vector kernel(256);
  for (Eigen::Index x = 0; x < 256; ++x) kernel(x) = std::cos(0.3 * static_cast<double>(x));
  const auto free = fit_frequencies(kernel);
  CHECK(free.r2 > 0.9);
  CHECK(free.quantile(0.5) == doctest::Approx(0.3).epsilon(0.1));
  CHECK(free.shares.minCoeff() >= 0);
}

TEST_CASE("the kernel's verdicts are of the sinusoid, whatever the table") {
  const auto outcome = outcome_of(kernel_experiment(), subject_of(planted::walk(512, 64, "kernel")));
  INFO(outcome.verdicts.at("4.3").reason.en);
  CHECK(outcome.observation("4.3") == Observation::holds);
  CHECK(outcome.inference("4.3") == Inference::does_not_follow);
  INFO(outcome.verdicts.at("4.4").reason.en);
  CHECK(outcome.observation("4.4") == Observation::holds);
  CHECK(outcome.inference("4.4") == Inference::not_tested);
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
