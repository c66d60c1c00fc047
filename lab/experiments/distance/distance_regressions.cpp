#include "lab/experiments/distance/distance_regressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/distance/split_ranges.hpp"
#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

namespace distance {
namespace {

constexpr double kHalfOfError = 0.5;  // of linear regression's mean squared error

constexpr NumberName kLabelVariance{"distance", "label_variance"};
constexpr NumberName kOverLinear{"distance", "trees_over_linear_mse"};
constexpr NumberName kRawOver{"distance", "raw_over_components_mse"};
constexpr NumberName kAbsoluteTwice{"distance", "absolute_twice_r2_positions"};

inline const Cell kLinearOnPairs{"table", Inputs::components, PairMethod::linear, HeldOut::pairs};
inline const Cell kRawTreesOnPairs{"table", Inputs::raw, PairMethod::trees, HeldOut::pairs};
inline const Cell kTreesOnPositions{"table", Inputs::components, PairMethod::trees, HeldOut::positions};

/// What the texts say of the constants.
FormatArgs regression_bars() {
  return {{"components", kDistanceComponents}, {"half", kHalfOfError}};
}

/// The same of white noise and of a Gaussian process.
NumberBuilder with_siblings(NumberBuilder number, const Grid& grid, const Cell& cell, double Scores::*of) {
  const auto value = [&](Surrogate surrogate) {
    Cell other = cell;
    other.of = name_of(surrogate);
    return grid.at(other).*of;
  };
  return number.null(value(Surrogate::white_noise), words_of(Surrogate::white_noise))
      .control(value(Surrogate::gaussian_process), words_of(Surrogate::gaussian_process));
}

LocalizedText label_of(const Cell& cell, const Measure& measure) {
  const LocalizedText method = words_of(cell.method);
  const LocalizedText split = words_of(cell.held_out);
  const bool raw = cell.inputs == Inputs::raw;
  return localize(
      "distance.numbers.fit",
      {{"measure", localize(std::string("distance.measures.") + measure.name)},
       {"method", method},
       {"split", split},
       {"inputs", localize(raw ? "distance.inputs.raw" : "distance.inputs.components", regression_bars())}});
}

/// One fit of the table; null and control are the same of white noise and of a Gaussian process.
NumberBuilder number_of(const Grid& grid, const Cell& cell, const Measure& measure) {
  return with_siblings(NumberBuilder(fit_name(cell, measure), label_of(cell, measure), grid.at(cell).*measure.of), grid,
                       cell, measure.of);
}

void add_fits(Numbers& numbers, const Grid& grid, const Cell& headline) {
  for (const auto& [cell, scores] : grid) {
    if (cell.of != "table" || cell.split != 0 || cell.method == PairMethod::unscaled_network) continue;
    if (cell != headline) numbers.add(number_of(grid, cell, kR2));
    if (cell.held_out != HeldOut::pairs && cell.method != PairMethod::trees) continue;
    numbers.add(number_of(grid, cell, kSquaredError));
    if (cell.method == PairMethod::trees) numbers.add(number_of(grid, cell, kAbsoluteError));
  }
}

Cell of_table(const std::string& table, Cell cell) {
  cell.of = table;
  return cell;
}

/// The headline: trees with pairs held out, each split with white noise drawn for it.
Number headline_number(const Grid& grid, size_t splits) {
  const auto of = [&](const char* table) { return over_splits(grid, of_table(table, kTreesOnPairs), splits); };
  LocalizedText label = label_of(kTreesOnPairs, kR2);
  const LocalizedText range = localize("distance.range_of_splits", {{"splits", splits}});
  label = {label.en + range.en, label.zh + range.zh};
  return NumberBuilder(fit_name(kTreesOnPairs, kR2), label, ranged(of("table"), kR2.of))
      .null(range_over(kR2.of)(of("white_noise")), words_of(Surrogate::white_noise))
      .control(range_over(kR2.of)(of("planted")), localize("distance.planted", regression_bars()));
}

/// The mean squared error of one cell over that of another, split by split.
std::vector<double> error_ratios(const Grid& grid, const Cell& cell, const Cell& over, size_t splits) {
  const auto upper = over_splits(grid, cell, splits);
  const auto lower = over_splits(grid, over, splits);
  std::vector<double> ratios;
  for (size_t i = 0; i < splits; ++i) ratios.push_back(upper[i].mse / std::max(1e-12, lower[i].mse));
  return ratios;
}

/// @param reference_splits  of null and control
Number ratio_number(const NumberName& name, const Grid& grid, const std::pair<Cell, Cell>& cells, size_t splits,
                    size_t reference_splits) {
  const auto of = [&](const char* table, size_t count) {
    return error_ratios(grid, of_table(table, cells.first), of_table(table, cells.second), count);
  };
  const auto own = of("table", splits);
  const auto null = of("white_noise", reference_splits);
  const auto control = of("planted", reference_splits);
  FormatArgs args = regression_bars();
  args.emplace_back("splits", splits);
  return NumberBuilder(name, median(own), args)
      .interval(range_of(own))
      .null(median(null), words_of(Surrogate::white_noise), range_of(null))
      .control(median(control), localize("distance.planted", regression_bars()), range_of(control));
}

/// What smooth tables reach that know nothing of language, beside the same as the table's own.
void add_smooth_tables(Numbers& numbers, const Grid& grid) {
  const auto add = [&](const std::string& name, const LocalizedText& table, PairMethod method, HeldOut held_out) {
    const Cell cell{name, Inputs::components, method, held_out};
    const LocalizedText label = localize(
        "distance.numbers.fit_beside", {{"table", table}, {"method", words_of(method)}, {"split", words_of(held_out)}});
    numbers.add(with_siblings(NumberBuilder(fit_name(cell, kR2), label, grid.at(cell).r2), grid, cell, &Scores::r2));
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

struct RegressionInputs {
  Interval r2;           ///< of trees on components
  Interval over_linear;  ///< their squared error over linear regression's
  Interval raw_over;     ///< that on the raw table over theirs
  double noise = 0;      ///< the best R² of white noise
};

Controlled<RegressionInputs> regression_inputs(const Numbers& numbers) {
  const std::string r2 = fit_name(kTreesOnPairs, kR2);
  const double noise = controlled_interval(numbers, r2).null.high;
  return controlled(numbers, [&](const NumberReader& of) {
    return RegressionInputs{of.interval(r2), of.interval(kOverLinear), of.interval(kRawOver), noise};
  });
}

/// Which parts of document 002's sentence a table contradicts on every split.
std::vector<const char*> failing_parts(const RegressionInputs& one) {
  std::vector<const char*> parts;
  if (one.r2.high <= one.noise) parts.push_back("noise");
  if (one.over_linear.low >= 1) parts.push_back("linear");
  if (one.raw_over.high <= 1) parts.push_back("raw");
  return parts;
}

Observation evaluate_regressions(const RegressionInputs& one) {
  if (!failing_parts(one).empty()) return Observation::fails;
  const bool holds = one.r2.low > one.noise && one.over_linear.high <= kHalfOfError && one.raw_over.low > 1;
  return holds ? Observation::holds : Observation::cannot_be_told;
}

/// The number that decides: where a part fails, that part's.
std::string decided_by(const RegressionInputs& one) {
  const std::string r2 = fit_name(kTreesOnPairs, kR2);
  if (evaluate_regressions(one) == Observation::fails) {
    return deciding_number({{kOverLinear, one.over_linear.low < 1}, {kRawOver, one.raw_over.high > 1}, {r2, false}});
  }
  return deciding_number({{kOverLinear, one.over_linear.high <= kHalfOfError},
                          {kRawOver, one.raw_over.low > 1},
                          {r2, one.r2.low > one.noise}});
}

LocalizedText words_of_failing(const RegressionInputs& one) {
  LocalizedText parts;
  for (const char* name : failing_parts(one)) {
    const LocalizedText part = localize(std::string("distance.failing.") + name, regression_bars());
    parts.en += (parts.en.empty() ? "" : ", ") + part.en;
    parts.zh += (parts.zh.empty() ? "" : "，") + part.zh;
  }
  return localize("distance.failing.all", {{"parts", parts}});
}

Verdict judge_regressions(const Numbers& numbers) {
  const Number& r2 = numbers.at(fit_name(kTreesOnPairs, kR2));
  const Number& over_linear = numbers.at(kOverLinear);
  const Number& raw_over = numbers.at(kRawOver);
  const auto inputs = regression_inputs(numbers);
  const RegressionInputs& own = inputs.own;
  Verdict verdict;
  verdict.observation = inputs.judged_by(evaluate_regressions);
  verdict.number = decided_by(own);
  // Who reads all distances reads the position of a beside any one row, and who reads positions subtracts them.
  verdict.inference = Inference::does_not_follow;
  const LocalizedText failing = verdict.observation == Observation::fails ? words_of_failing(own) : LocalizedText{};
  const Number& error = numbers.at(fit_name(kTreesOnPairs, kSquaredError));
  const Number& absolute = numbers.at(fit_name(kTreesOnPairs, kAbsoluteError));
  verdict.reason =
      localize("distance.reasons.regressions", {{"failing", failing},
                                                {"trees", r2.value},
                                                {"over_linear", over_linear.value},
                                                {"raw_over", raw_over.value},
                                                {"raw_low", own.raw_over.low},
                                                {"raw_high", own.raw_over.high},
                                                {"noise", r2.null->value},
                                                {"error", error.value},
                                                {"absolute", absolute.value},
                                                {"noise_error", error.null->value},
                                                {"noise_absolute", absolute.null->value},
                                                {"twice", numbers.value(kAbsoluteTwice)},
                                                {"new_positions", numbers.value(fit_name(kTreesOnPositions, kR2))}});
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
  const Splits splits = splits_of(conditions);
  numbers.add(headline_number(grid, splits.regressions));
  const double variance = grid.at(headline).variance;
  const Eigen::Index positions = tables.at("table", Inputs::raw).rows();
  numbers.add(
      NumberBuilder(kLabelVariance, variance)
          .null(variance, localize("distance.dealt"))
          .control(variance_of_distances(positions), localize("distance.variance_of_all", {{"positions", positions}})));
  numbers.add(ratio_number(kOverLinear, grid, {kTreesOnPairs, kLinearOnPairs}, splits.regressions, splits.regressions));
  numbers.add(ratio_number(kRawOver, grid, {kRawTreesOnPairs, kTreesOnPairs}, splits.raw, 1));
  add_fits(numbers, grid, headline);
  add_smooth_tables(numbers, grid);
  const auto twice = [&](const std::string& of) {
    return score_absolute_twice(
               tables.at(of, Inputs::components),
               {.method = PairMethod::trees, .held_out = HeldOut::positions, .limits = limits, .seed = conditions.seed})
        .r2;
  };
  numbers.add(NumberBuilder(kAbsoluteTwice, twice("table"))
                  .null(twice(name_of(Surrogate::white_noise)), words_of(Surrogate::white_noise))
                  .control(twice(name_of(Surrogate::gaussian_process)), words_of(Surrogate::gaussian_process)));
  return numbers;
}

Rule distance_regression_rule() {
  using namespace distance;
  return described_rule("distance", "E9", judge_regressions, regression_bars(), {.kind = Kind::data, .claim = "3.5"});
}

}  // namespace summand::lab
