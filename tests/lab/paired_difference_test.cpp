// Paired differences beside SciPy are in statistics_test.py; here is what it does not say, and Holm's adjustment.
#include "lab/statistics/paired_difference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "lab/statistics/holm.hpp"

using namespace summand::lab;

TEST_CASE("two pairs have Cauchy's law, three the law with two degrees of freedom") {
  // Student's law in closed form: F(t) = 1/2 + atan(t)/π, and F(t) = 1/2 + t / (2·√(2 + t²)).
  const std::vector<double> two{1, 3};  // mean 2, deviation √2, so an error of 1
  const PairedDifference of_two(two);
  CHECK(of_two.mean() == 2);
  CHECK(of_two.deviation() == doctest::Approx(std::numbers::sqrt2).epsilon(1e-14));
  CHECK(of_two.pairs() == 2);
  CHECK(of_two.p_above(0.5) == doctest::Approx(0.5 - std::atan(1.5) / std::numbers::pi).epsilon(1e-12));
  CHECK(of_two.p_below(0.5) == doctest::Approx(0.5 + std::atan(1.5) / std::numbers::pi).epsilon(1e-12));
  const double reach = std::tan(0.45 * std::numbers::pi);  // at 90 %
  CHECK(of_two.interval(0.9).low == doctest::Approx(2 - reach).epsilon(1e-10));
  CHECK(of_two.interval(0.9).high == doctest::Approx(2 + reach).epsilon(1e-10));

  const std::vector<double> three{-1, 0.5, 2};  // mean 1/2, deviation 3/2
  const PairedDifference of_three(three);
  const auto law = [](double t) { return 0.5 + t / (2 * std::sqrt(2 + t * t)); };
  const double error = 1.5 / std::sqrt(3);
  CHECK(of_three.p_above(0) == doctest::Approx(law(-0.5 / error)).epsilon(1e-12));
  CHECK(of_three.p_below(1.25) == doctest::Approx(law(-0.75 / error)).epsilon(1e-12));
  CHECK(of_three.p_equivalent(2) == doctest::Approx(law(-1.5 / error)).epsilon(1e-12));  // the nearer bound is 2
}

TEST_CASE("the p-value of equivalence is that of the nearer margin, on either side, and is large beyond it") {
  const std::vector<double> above{0.7, 0.9, 1.1, 0.8}, below{-0.7, -0.9, -1.1, -0.8};
  const PairedDifference one(above), other(below);
  CHECK(one.p_equivalent(1) == one.p_below(1));
  CHECK(other.p_equivalent(1) == other.p_above(-1));
  CHECK(one.p_equivalent(1) == doctest::Approx(other.p_equivalent(1)).epsilon(1e-12));
  CHECK(one.p_equivalent(0.5) > 0.9);
  CHECK(one.p_equivalent(3) < 0.001);
}

TEST_CASE("differences that are all the same are beyond a bound or not") {
  const std::vector<double> same(4, 0.25);
  const PairedDifference difference(same);
  CHECK(difference.deviation() == 0);
  CHECK(difference.interval(0.95).low == 0.25);
  CHECK(difference.interval(0.95).high == 0.25);
  CHECK(difference.p_above(0.2) == 0);
  CHECK(difference.p_above(0.25) == 1);
  CHECK(difference.p_above(0.3) == 1);
  CHECK(difference.p_below(0.3) == 0);
  CHECK(difference.p_below(0.25) == 1);
  CHECK(difference.p_below(0.2) == 1);
  CHECK(difference.p_equivalent(0.3) == 0);
  CHECK(difference.p_equivalent(0.2) == 1);
  const std::vector<double> zeros(3, 0.0);
  CHECK(PairedDifference(zeros).p_equivalent(0.01) == 0);
}

TEST_CASE("fewer than two pairs are refused") {
  const std::vector<double> one{1};
  CHECK_THROWS_AS(PairedDifference{one}, summand::UsageError);
  CHECK_THROWS_AS(PairedDifference{std::vector<double>()}, summand::UsageError);
}

TEST_CASE("Holm's adjustment: the smallest times their number, the next times one fewer, none below an earlier one") {
  const auto adjusted = [](const std::vector<double>& p_values) { return holm_adjusted(p_values); };
  const auto close = [](const std::vector<double>& found, const std::vector<double>& wanted) {
    REQUIRE(found.size() == wanted.size());
    for (size_t index = 0; index < found.size(); ++index)
      CHECK(found[index] == doctest::Approx(wanted[index]).epsilon(1e-14));
  };
  close(adjusted({0.01, 0.04, 0.03, 0.005}), {0.03, 0.06, 0.06, 0.02});  // .04·1 is less than .03·2
  close(adjusted({0.01, 0.02, 0.5}), {0.03, 0.04, 0.5});
  close(adjusted({0.4, 0.6, 0.1}), {0.8, 0.8, 0.3});
  close(adjusted({0.7, 0.7, 0.7}), {1, 1, 1});  // none above 1
  close(adjusted({0.02, 0.02}), {0.04, 0.04});
  close(adjusted({0.3}), {0.3});
  CHECK(adjusted({}).empty());
}
