#include "train/study/simulated_studies.hpp"

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::train {

namespace {

/// Differences about a mean of `times` δ.
Differences redrawn(const Differences& from, double times, RandomStream& random) {
  const auto count = static_cast<double>(from.values.size());
  const double mean = lab::mean(from.values);
  const double wider = std::sqrt(count / (count - 1));  // residuals are narrower than what they are residuals of
  Differences drawn{.values = {}, .margin = from.margin};
  for (size_t index = 0; index < from.values.size(); ++index) {
    const double residual = from.values[random.below(from.values.size())] - mean;
    drawn.values.push_back(times * from.margin + wider * residual);
  }
  return drawn;
}

}  // namespace

SimulatedStudies simulate_studies(std::span<const Differences> family, double level, size_t studies, uint64_t seed) {
  SimulatedStudies result{.studies = studies};
  RandomStream random(seed, "simulated studies");
  const auto verdicts_at = [&](double times) {
    std::vector<Differences> drawn;
    for (const Differences& one : family) drawn.push_back(redrawn(one, times, random));
    return judge(drawn, level);
  };
  const auto count = [](const std::vector<Judgement>& verdicts, auto&& wanted) {
    return std::ranges::count_if(verdicts, [&](const Judgement& one) { return wanted(one.verdict); });
  };
  const auto differs = [](StudyVerdict one) { return one == StudyVerdict::hurts || one == StudyVerdict::helps; };
  const auto is_equivalent = [](StudyVerdict one) { return one == StudyVerdict::equivalent; };
  const auto hurts = [](StudyVerdict one) { return one == StudyVerdict::hurts; };
  for (size_t study = 0; study < studies; ++study) {
    const std::vector<Judgement> at_zero = verdicts_at(0), at_margin = verdicts_at(1), beyond = verdicts_at(2);
    result.differing_at_zero += count(at_zero, differs) > 0 ? 1 : 0;
    result.equivalent_at_margin += count(at_margin, is_equivalent) > 0 ? 1 : 0;
    result.differing_at_margin += count(at_margin, differs) > 0 ? 1 : 0;
    result.found_equivalent += static_cast<double>(count(at_zero, is_equivalent));
    result.found_hurts += static_cast<double>(count(beyond, hurts));
  }
  const auto all = static_cast<double>(studies * family.size());
  result.found_equivalent /= all;
  result.found_hurts /= all;
  return result;
}

}  // namespace summand::train
