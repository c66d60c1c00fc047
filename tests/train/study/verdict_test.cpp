// Verdicts of differences whose law is known, one by one and counted over simulated studies.
#include "train/study/verdict.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "train/study/simulated_studies.hpp"

namespace summand::train {

namespace {

constexpr double kMargin = 0.01, kLevel = 0.05;
constexpr size_t kStudies = 2000, kFamily = 5;

/// Eight differences of this mean and deviation.
Differences spread(double mean, double deviation) {
  Differences differences{.values = {}, .margin = kMargin};
  const double unit = std::sqrt(8.0 / 7);  // the deviation of four times −1 and four times 1
  for (int index = 0; index < 8; ++index)
    differences.values.push_back(mean + (index % 2 == 0 ? -1 : 1) * deviation / unit);
  return differences;
}

StudyVerdict alone(const Differences& one) {
  return judge(std::vector{one}, kLevel).front().verdict;
}

/// The mean that is this many standard errors from `from`, for spread() of this deviation.
double errors_from(double from, double errors, double deviation) {
  return from + errors * deviation / std::sqrt(8.0);
}

/// The standard deviation of a count of studies, four times.
double tolerance(double share) {
  return 4 * std::sqrt(share * (1 - share) * kStudies);
}

bool differs(StudyVerdict verdict) {
  return verdict == StudyVerdict::hurts || verdict == StudyVerdict::helps;
}

/// Verdicts of studies of five contrasts with normal differences.
struct Counted {
  double studies_differing = 0, studies_equivalent = 0;  ///< studies with such a contrast
  double hurts = 0, helps = 0, equivalent = 0;           ///< contrasts
};

Counted counted(double mean, double deviation, size_t seeds) {
  Counted counts;
  RandomStream random(5, "verdicts of " + std::to_string(mean / kMargin) + " and " + std::to_string(deviation));
  for (size_t study = 0; study < kStudies; ++study) {
    std::vector<Differences> family(kFamily, Differences{.values = std::vector<double>(seeds), .margin = kMargin});
    for (Differences& one : family) {
      for (double& value : one.values) value = mean + deviation * random.normal();
    }
    bool any_differs = false, any_equivalent = false;
    for (const Judgement& judgement : judge(family, kLevel)) {
      any_differs = any_differs || differs(judgement.verdict);
      any_equivalent = any_equivalent || judgement.verdict == StudyVerdict::equivalent;
      counts.hurts += judgement.verdict == StudyVerdict::hurts ? 1 : 0;
      counts.helps += judgement.verdict == StudyVerdict::helps ? 1 : 0;
      counts.equivalent += judgement.verdict == StudyVerdict::equivalent ? 1 : 0;
    }
    counts.studies_differing += any_differs ? 1 : 0;
    counts.studies_equivalent += any_equivalent ? 1 : 0;
  }
  return counts;
}

/// The probability that one of five independent tests errs, each at this level.
double any_of_five(double level) {
  return 1 - std::pow(1 - level, 5);
}

}  // namespace

TEST_CASE("each verdict comes out where it is due") {
  CHECK(alone(spread(0.03, 0.005)) == StudyVerdict::hurts);
  CHECK(alone(spread(-0.03, 0.005)) == StudyVerdict::helps);
  CHECK(alone(spread(0.002, 0.005)) == StudyVerdict::equivalent);
  CHECK(alone(spread(0.01, 0.005)) == StudyVerdict::inconclusive);  // at the margin
  CHECK(alone(spread(0.002, 0.03)) == StudyVerdict::inconclusive);  // too wide for either
  CHECK(alone(spread(0.012, 0.005)) == StudyVerdict::inconclusive);
  CHECK(alone(spread(0.008, 0.001)) == StudyVerdict::equivalent);  // more than 0, and yet within the margin
  CHECK(alone({.values = {0, 0, 0}, .margin = kMargin}) == StudyVerdict::equivalent);
  CHECK(alone({.values = {0.02, 0.02}, .margin = kMargin}) == StudyVerdict::hurts);
}

TEST_CASE("the level of a difference is two-sided, that of equivalence one-sided") {
  // Quantiles of Student's law with 7 degrees of freedom: 2.364624 at .975, 1.894579 at .95.
  const double deviation = 0.004;
  CHECK(alone(spread(errors_from(kMargin, 2.37, deviation), deviation)) == StudyVerdict::hurts);
  CHECK(alone(spread(errors_from(kMargin, 2.36, deviation), deviation)) == StudyVerdict::inconclusive);
  CHECK(alone(spread(errors_from(-kMargin, -2.37, deviation), deviation)) == StudyVerdict::helps);
  CHECK(alone(spread(errors_from(-kMargin, -2.36, deviation), deviation)) == StudyVerdict::inconclusive);
  CHECK(alone(spread(errors_from(kMargin, -1.90, deviation), deviation)) == StudyVerdict::equivalent);
  CHECK(alone(spread(errors_from(kMargin, -1.89, deviation), deviation)) == StudyVerdict::inconclusive);
  CHECK(alone(spread(errors_from(-kMargin, 1.90, deviation), deviation)) == StudyVerdict::equivalent);
  const Judgement judgement = judge(std::vector{spread(errors_from(kMargin, 2.364624, deviation), deviation)}, 0.5)[0];
  CHECK(judgement.p_difference == doctest::Approx(0.05).epsilon(1e-5));
  CHECK(judgement.p_equivalent == doctest::Approx(0.975).epsilon(1e-5));
}

TEST_CASE("what a contrast says alone it may not say among others") {
  const double deviation = 0.004;
  const Differences hurts = spread(errors_from(kMargin, 3, deviation), deviation);          // p = .020, two-sided
  const Differences equivalent = spread(errors_from(kMargin, -2.5, deviation), deviation);  // p = .020
  const Differences wide = spread(0, 1);
  REQUIRE(alone(hurts) == StudyVerdict::hurts);
  REQUIRE(alone(equivalent) == StudyVerdict::equivalent);
  for (const Differences& one : {hurts, equivalent}) {
    std::vector<Differences> family(kFamily, wide);
    family[2] = one;
    for (const Judgement& judgement : judge(family, kLevel)) CHECK(judgement.verdict == StudyVerdict::inconclusive);
  }
  // Of p-values that are small the last is not adjusted: Holm's method, not Bonferroni's.
  std::vector<Differences> family(kFamily, spread(1, deviation));
  family[3] = hurts;
  for (const Judgement& judgement : judge(family, kLevel)) CHECK(judgement.verdict == StudyVerdict::hurts);
  family.assign(kFamily, spread(0, 0.0001));
  family[1] = equivalent;
  for (const Judgement& judgement : judge(family, kLevel)) CHECK(judgement.verdict == StudyVerdict::equivalent);
  // Each contrast is judged by its own margin, in the order in which they are given.
  family = {spread(0.03, 0.001), spread(0.03, 0.001), spread(-0.03, 0.001)};
  family[1].margin = 0.1;
  const std::vector<Judgement> judgements = judge(family, kLevel);
  CHECK(judgements[0].verdict == StudyVerdict::hurts);
  CHECK(judgements[1].verdict == StudyVerdict::equivalent);
  CHECK(judgements[2].verdict == StudyVerdict::helps);
  CHECK(judge({}, kLevel).empty());
}

TEST_CASE("where no arm differs, few studies say that one does") {
  const Counted narrow = counted(0, kMargin, 12);
  CHECK(narrow.studies_differing <= kStudies * kLevel + tolerance(kLevel));
  CHECK(narrow.equivalent >= 0.5 * kStudies * kFamily);
  // Where differences are so wide that the margin is almost nothing, errors come as often as the level allows.
  const Counted wide = counted(0, 30 * kMargin, 12);
  CHECK(wide.studies_differing <= kStudies * kLevel + tolerance(kLevel));
  CHECK(wide.studies_differing >= kStudies * 0.02);
  CHECK(wide.equivalent == 0);
}

TEST_CASE("where every arm differs by the margin, equivalent and worse are said as rarely as the level has it") {
  const Counted at_margin = counted(kMargin, kMargin, 12);
  const double equivalent = any_of_five(kLevel / 5), differing = any_of_five(kLevel / 10);
  CHECK(std::abs(at_margin.studies_equivalent - kStudies * equivalent) <= tolerance(equivalent));
  CHECK(std::abs(at_margin.studies_differing - kStudies * differing) <= tolerance(differing));
  CHECK(at_margin.helps == 0);
  const Counted below = counted(-kMargin, kMargin, 12);
  CHECK(std::abs(below.studies_equivalent - kStudies * equivalent) <= tolerance(equivalent));
  CHECK(std::abs(below.studies_differing - kStudies * differing) <= tolerance(differing));
  CHECK(below.hurts == 0);
}

TEST_CASE("where every arm differs by three margins, nearly every contrast says so and in which direction") {
  const Counted worse = counted(3 * kMargin, kMargin, 12), better = counted(-3 * kMargin, kMargin, 12);
  CHECK(worse.hurts >= 0.99 * kStudies * kFamily);
  CHECK(worse.helps + worse.equivalent == 0);
  CHECK(better.helps >= 0.99 * kStudies * kFamily);
  CHECK(better.hurts + better.equivalent == 0);
}

TEST_CASE("studies that are simulated from residuals have the rates of the law that the residuals come from") {
  constexpr size_t kSeeds = 100;  // so many that the residuals' own deviation is near that of their law
  constexpr double kDeviation = 4 * kMargin;
  std::vector<Differences> family;
  RandomStream random(8, "residuals");
  for (size_t one = 0; one < kFamily; ++one) {
    Differences differences{.values = std::vector<double>(kSeeds), .margin = kMargin};
    for (double& value : differences.values) value = kDeviation * random.normal();
    // Exactly that deviation, and a mean that must not matter.
    double mean = 0, squares = 0;
    for (const double value : differences.values) mean += value / kSeeds;
    for (const double value : differences.values) squares += (value - mean) * (value - mean) / (kSeeds - 1);
    for (double& value : differences.values)
      value = 7 * kMargin * static_cast<double>(one) + (value - mean) * kDeviation / std::sqrt(squares);
    family.push_back(std::move(differences));
  }
  const SimulatedStudies simulated = simulate_studies(family, kLevel, kStudies, 1);
  CHECK(simulated.studies == kStudies);
  const double equivalent = any_of_five(kLevel / 5), differing = any_of_five(kLevel / 10);
  CHECK(std::abs(static_cast<double>(simulated.equivalent_at_margin) - kStudies * equivalent) <=
        2 * tolerance(equivalent));  // residuals are not quite normal
  CHECK(std::abs(static_cast<double>(simulated.differing_at_margin) - kStudies * differing) <=
        2 * tolerance(differing));
  const Counted at_zero = counted(0, kDeviation, kSeeds), beyond = counted(2 * kMargin, kDeviation, kSeeds);
  CHECK(std::abs(static_cast<double>(simulated.differing_at_zero) - at_zero.studies_differing) <= 5);
  CHECK(std::abs(simulated.found_equivalent - at_zero.equivalent / (kStudies * kFamily)) <= 0.04);
  CHECK(std::abs(simulated.found_hurts - beyond.hurts / (kStudies * kFamily)) <= 0.04);
  CHECK(simulated.found_hurts > 0.3);  // neither all nor none
  CHECK(simulated.found_hurts < 0.9);

  const SimulatedStudies same = simulate_studies(family, kLevel, 200, 1),
                         again = simulate_studies(family, kLevel, 200, 1),
                         other = simulate_studies(family, kLevel, 200, 2);
  CHECK(same.found_hurts == again.found_hurts);
  CHECK(same.found_hurts != other.found_hurts);
}

TEST_CASE("residuals of a few seeds are widened, so that simulated studies do not see too well") {
  // Of two differences residuals are ±d/2, and their deviation is d/√2: widened by √2 they are ±d/√2, here ±2.83·δ. In
  // half of the studies both draws are the same, and the verdict is certain; in the others it is inconclusive.
  const std::vector<Differences> two{{.values = {0, 4 * kMargin}, .margin = kMargin}};
  const SimulatedStudies simulated = simulate_studies(two, kLevel, kStudies, 1);
  // Two draws of ±2.83·δ about 0 are beyond the margin.
  CHECK(std::abs(static_cast<double>(simulated.differing_at_zero) - 0.5 * kStudies) <= tolerance(0.5));
  CHECK(simulated.found_equivalent == 0);
  // About δ they are 3.83·δ or −1.83·δ; not widened the second would be −δ, at the margin and not beyond.
  CHECK(std::abs(static_cast<double>(simulated.differing_at_margin) - 0.5 * kStudies) <= tolerance(0.5));
  CHECK(simulated.equivalent_at_margin == 0);
  // About 2·δ they are 4.83·δ, which hurts, or −0.83·δ.
  CHECK(std::abs(simulated.found_hurts - 0.25) <= tolerance(0.25) / kStudies);
}

}  // namespace summand::train
