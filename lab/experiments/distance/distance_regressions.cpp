#include "lab/experiments/distance/distance_regressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lab/core/measured.hpp"
#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

namespace distance {
namespace {

constexpr double kGoodRegression = 0.9;  // R²
constexpr double kPoorRegression = 0.5;
constexpr double kHalfOfError = 0.5;  // of the mean squared error; the rule says it in words
constexpr double kLeak = 0.99;        // R² of white noise that only a leak can give
constexpr double kNearlyAll = 0.9;    // of the table's own R²; the rule says it in words

constexpr NumberName kLabelVariance{"distance", "label_variance"};
constexpr NumberName kAbsoluteTwice{"distance", "absolute_twice_r2_positions"};

/// What the texts say of the constants.
Fills regression_bars() {
  return {{"components", kDistanceComponents}, {"good", kGoodRegression}, {"poor", kPoorRegression}, {"leak", kLeak}};
}

struct Fits {
  const Grid& grid;
  const PairLimits& limits;
};

/// The same of white noise and of a Gaussian process; `of` says where they had fewer bins.
Measured with_siblings(Measured number, const Fits& fits, const Cell& cell, double Scores::*of) {
  const auto beside = [&](Surrogate surrogate) {
    Cell other = cell;
    other.of = name_of(surrogate);
    const int bins = limits_of(other, fits.limits).tree_bins;
    Words words = words_of(surrogate);
    if (bins != limits_of(cell, fits.limits).tree_bins) {
      words = wording("distance.fewer_bins", {{"table", words}, {"bins", bins}});
    }
    return std::pair{fits.grid.at(other).*of, words};
  };
  const auto [white, of_white] = beside(Surrogate::white_noise);
  const auto [smooth, of_smooth] = beside(Surrogate::gaussian_process);
  return number.null(white, of_white).control(smooth, of_smooth);
}

Words label_of(const Cell& cell, const Measure& measure) {
  const Words method = words_of(cell.method);
  const Words split = words_of(cell.held_out);
  const bool raw = cell.inputs == Inputs::raw;
  return wording("distance.numbers.fit",
                 {{"measure", wording(std::string("distance.measures.") + measure.name)},
                  {"method", method},
                  {"split", split},
                  {"inputs", wording(raw ? "distance.inputs.raw" : "distance.inputs.components", regression_bars())}});
}

/// One fit of the table, beside the same of white noise and of a Gaussian process.
Measured number_of(const Fits& fits, const Cell& cell, const Measure& measure) {
  return with_siblings(Measured(fit_name(cell, measure), label_of(cell, measure), fits.grid.at(cell).*measure.of), fits,
                       cell, measure.of);
}

void add_fits(Numbers& numbers, const Fits& fits, const Cell& headline) {
  for (const auto& [cell, scores] : fits.grid) {
    if (cell.of != "table" || cell.method == PairMethod::unscaled_network) continue;
    if (cell != headline) numbers.add(number_of(fits, cell, kR2));
    if (cell.held_out != HeldOut::pairs && cell.method != PairMethod::trees) continue;
    numbers.add(number_of(fits, cell, kSquaredError));
    if (cell.method == PairMethod::trees) numbers.add(number_of(fits, cell, kAbsoluteError));
  }
}

/// What smooth tables reach that know nothing of language, beside the same as the table's own.
void add_smooth_tables(Numbers& numbers, const Fits& fits) {
  const auto add = [&](const std::string& name, const Words& table, PairMethod method, HeldOut held_out) {
    const Cell cell{name, Inputs::components, method, held_out};
    const Words label = wording("distance.numbers.fit_beside",
                                {{"table", table}, {"method", words_of(method)}, {"split", words_of(held_out)}});
    numbers.add(with_siblings(Measured(fit_name(cell, kR2), label, fits.grid.at(cell).r2), fits, cell, &Scores::r2));
  };
  for (const auto method : {PairMethod::linear, PairMethod::trees}) {
    for (const auto held_out : kDistanceSplits) {
      add(name_of(Surrogate::random_walk), words_of(Surrogate::random_walk), method, held_out);
      add("sinusoid", words_of_sinusoid(), method, held_out);
    }
  }
}

/// Of b − a over all ordered pairs of n positions: twice the variance of a position.
double variance_of_distances(Eigen::Index positions) {
  const auto n = static_cast<double>(positions);
  return (n * n - 1) / 6;
}

/// Which parts of document 002's sentence a failing table contradicts.
Words failing_parts(double trees, double of_linear, double of_raw) {
  Words parts;
  const auto add = [&](bool fails, const char* name) {
    if (!fails) return;
    const Words part = wording(std::string("distance.failing.") + name, regression_bars());
    parts.en += (parts.en.empty() ? "" : ", ") + part.en;
    parts.zh += (parts.zh.empty() ? "" : "，") + part.zh;
  };
  add(trees < kPoorRegression, "trees");
  add(of_linear >= 1, "linear");
  add(of_raw <= 1, "raw");
  return wording("distance.failing.all", {{"parts", parts}});
}

Verdict judge_regressions(const Numbers& numbers) {
  const Cell linear_on_pairs{"table", Inputs::components, PairMethod::linear, HeldOut::pairs};
  const Cell raw_trees_on_pairs{"table", Inputs::raw, PairMethod::trees, HeldOut::pairs};
  const Cell raw_linear_on_pairs{"table", Inputs::raw, PairMethod::linear, HeldOut::pairs};
  const Cell trees_on_positions{"table", Inputs::components, PairMethod::trees, HeldOut::positions};
  const std::string headline = fit_name(kTreesOnPairs, kR2);
  const auto error = [&](const Cell& cell) { return numbers.value(fit_name(cell, kSquaredError)); };
  const double trees = numbers.value(headline);
  const double ratio = error(kTreesOnPairs) / std::max(1e-12, error(linear_on_pairs));
  const double raw = error(raw_trees_on_pairs) / std::max(1e-12, error(kTreesOnPairs));
  Verdict verdict;
  if (numbers.null(headline) >= kGoodRegression || numbers.control(headline) < kGoodRegression) {
    verdict.observation = Observation::cannot_be_told;
  } else if (trees >= kGoodRegression && ratio <= kHalfOfError && raw > 1) {
    verdict.observation = Observation::holds;
  } else if (trees < kPoorRegression || ratio >= 1 || raw <= 1) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const double random_walk = numbers.value(fit_name(kTreesOnRandomWalk, kR2));
  const double smooth = std::max(numbers.control(headline), random_walk);
  const double leak = numbers.null(fit_name(raw_linear_on_pairs, kR2));
  const double twice = numbers.value(kAbsoluteTwice);
  const double new_positions = numbers.value(fit_name(trees_on_positions, kR2));
  const bool nothing_relative = smooth >= kNearlyAll * trees || leak >= kLeak || twice >= kNearlyAll * new_positions;
  verdict.inference = nothing_relative ? Inference::does_not_follow : Inference::not_tested;
  const Words failing = verdict.observation == Observation::fails ? failing_parts(trees, ratio, raw) : Words{};
  verdict.reason =
      wording("distance.reasons.regressions", {{"failing", failing},
                                               {"linear", numbers.value(fit_name(linear_on_pairs, kR2))},
                                               {"trees", trees},
                                               {"raw_trees", numbers.value(fit_name(raw_trees_on_pairs, kR2))},
                                               {"random_walk", random_walk},
                                               {"leak", leak},
                                               {"twice", twice},
                                               {"new_positions", new_positions}});
  return verdict;
}

}  // namespace

std::string fit_name(const Cell& cell, const Measure& measure) {
  return fmt::format("{}{}{}_{}_{}", cell.of == "table" ? "" : cell.of + "_", cell.inputs == Inputs::raw ? "raw_" : "",
                     name_of(cell.method), measure.name, name_of(cell.held_out));
}

}  // namespace distance

Numbers distance_regression_numbers(const Grid& grid, const DistanceTables& tables, const PairLimits& limits,
                                    const Conditions& conditions) {
  using namespace distance;
  Numbers numbers;
  const Cell& headline = kTreesOnPairs;
  const Fits fits{grid, limits};
  numbers.add(number_of(fits, headline, kR2));
  const double variance = grid.at(headline).variance;
  const Eigen::Index positions = tables.at("table", Inputs::raw).rows();
  numbers.add(
      Measured(kLabelVariance, variance)
          .null(variance, wording("distance.dealt"))
          .control(variance_of_distances(positions), wording("distance.variance_of_all", {{"positions", positions}})));
  add_fits(numbers, fits, headline);
  add_smooth_tables(numbers, fits);
  const auto twice = [&](const std::string& of) {
    return score_absolute_twice(
               tables.at(of, Inputs::components),
               {.method = PairMethod::trees, .held_out = HeldOut::positions, .limits = limits, .seed = conditions.seed})
        .r2;
  };
  numbers.add(Measured(kAbsoluteTwice, twice("table"))
                  .null(twice(name_of(Surrogate::white_noise)), words_of(Surrogate::white_noise))
                  .control(twice(name_of(Surrogate::gaussian_process)), words_of(Surrogate::gaussian_process)));
  return numbers;
}

Rule distance_regression_rule() {
  using namespace distance;
  return described_rule("distance", "E9", judge_regressions, regression_bars());
}

}  // namespace summand::lab
