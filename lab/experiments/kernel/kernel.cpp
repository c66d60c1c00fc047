// 4.3, 4.4: the sinusoid's inner products by distance, and what the choice of its frequencies changes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/kernel/kernel_figures.hpp"
#include "lab/experiments/kernel/kernels.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace kernel {
namespace {

using Eigen::Index;

constexpr double kBase = 10000;
constexpr double kPreferred = 1000;  // by the document's author
constexpr size_t kPlotted = 129;     // distances 0 … 128, as the document plots them
constexpr size_t kLeastKernelRows = 129;
constexpr double kOfDistance = 0.999;    // R² from which inner products are a function of distance
constexpr double kTendency = 0.5;        // Kendall's τ of distance and fall
constexpr double kNoTendency = 0;        // of the same: it does not fall
constexpr double kMostAtFarthest = 0.5;  // what is left at the farthest, at most
constexpr double kNearIntegral = 0.1;    // of the value at distance 0: how far the sum may lie from its integral
constexpr Index kNearLag = 8;
constexpr Index kMiddle = 64;
constexpr Index kEnd = 128;
constexpr Index kLeastColumns = 2;
constexpr int kComparisons = 5;  // that document 004 makes
constexpr int kLeastMet = 3;     // most of them

constexpr NumberName kOfDistanceR2{"kernel", "of_distance"};
constexpr NumberName kG{"kernel", "g"};
constexpr NumberName kFirstRise{"kernel", "first_rising_step"};
constexpr NumberName kFallingShare{"kernel", "falling_share"};
constexpr NumberName kMinimum{"kernel", "minimum"};
constexpr NumberName kFallTendency{"kernel", "tendency"};
constexpr NumberName kEnvelopeFarthest{"kernel", "envelope_farthest"};
constexpr NumberName kFromIntegral{"kernel", "beside_integral"};
constexpr NumberName kFromLogarithm{"kernel", "beside_logarithm_64"};
constexpr NumberName kOwnOfDistance{"kernel", "own_of_distance"};
constexpr NumberName kOwnG{"kernel", "own_g"};
constexpr NumberName kOwnFirstRise{"kernel", "own_first_rising_step"};
constexpr NumberName kComparisonsMet{"kernel", "comparisons_met"};
constexpr NumberName kFittedBase{"kernel", "fitted_base"};
constexpr NumberName kFittedBaseR2{"kernel", "fitted_base_r2"};
constexpr NumberName kFittedFrequenciesR2{"kernel", "fitted_frequencies_r2"};
constexpr NumberName kShortestPeriod{"kernel", "fitted_period_shortest"};
constexpr NumberName kMiddlePeriod{"kernel", "fitted_period_middle"};
constexpr NumberName kLongestPeriod{"kernel", "fitted_period_longest"};
constexpr const char* kFarthest = "farthest";  // of the family kG

// Choices of θ, each a family of numbers; their labels are the choices'.
constexpr NumberName kBase100{"kernel", "base_100"};
constexpr NumberName kBase1000{"kernel", "base_1000"};
constexpr NumberName kBase10000{"kernel", "base_10000"};
constexpr NumberName kBase100000{"kernel", "base_100000"};
constexpr NumberName kPowerHalf{"kernel", "power_half"};
constexpr NumberName kPower1{"kernel", "power_1"};
constexpr NumberName kPower2{"kernel", "power_2"};
constexpr NumberName kPower3{"kernel", "power_3"};
constexpr const char* kIntegralMinimum = "integral_minimum";  // of each

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"base", kBase},
          {"of_distance", kOfDistance},
          {"tendency", kTendency},
          {"no_tendency", kNoTendency},
          {"left", kMostAtFarthest},
          {"near_integral", kNearIntegral},
          {"near", kNearLag},
          {"middle", kMiddle},
          {"end", kEnd},
          {"plotted", kPlotted - 1},
          {"least", kLeastColumns},
          {"comparisons", kComparisons},
          {"least_met", kLeastMet}};
}

double tendency(const Vector& kernel) {
  const Vector falling = -Vector::LinSpaced(kernel.size(), 0, static_cast<double>(kernel.size() - 1));
  return kendall_tau(elements(falling), elements(kernel));
}

struct NamedFrequency {
  NumberName name;
  chart::Series series;
  Frequency frequency;
  bool is_power = false;
};

const std::vector<NamedFrequency>& frequencies() {
  const auto base = [](const NumberName& name, chart::Look look, double of) {
    return NamedFrequency{name, {name.label(), std::move(look)}, exponential_frequency(of)};
  };
  const auto power = [](const NumberName& name, chart::Look look, double of) {
    return NamedFrequency{name, {name.label(), std::move(look)}, power_frequency(of), true};
  };
  static const std::vector<NamedFrequency> list{base(kBase100, {.colour = "@sky", .dash = {8, 2}}, 1e2),
                                                base(kBase1000, {.colour = "@green"}, 1e3),
                                                base(kBase10000, {.colour = "@orange", .width = 2.5}, 1e4),
                                                base(kBase100000, {.colour = "@blue"}, 1e5),
                                                power(kPowerHalf, {.colour = "@purple", .dash = {8, 3}}, 0.5),
                                                power(kPower1, {.colour = "@red", .dash = {2, 2}}, 1),
                                                power(kPower2, {.colour = "@soft", .dash = {5, 3}}, 2),
                                                power(kPower3, {.colour = "@faint", .dash = {8, 3, 2, 3}}, 3)};
  return list;
}

/// The name of a choice's g at a distance.
std::string g_name(const NumberName& choice, Index distance) {
  return choice.of(fmt::format("g_{}", distance));
}

double g_of(const Numbers& numbers, const NumberName& choice, Index distance) {
  return numbers.value(g_name(choice, distance));
}

/// A table that turns at one frequency alone: a function of distance, and no decay.
LocalizedText words_of_one_frequency() {
  return localize("kernel.one_frequency");
}

/// A table's inner products by distance, its mean row taken away.
struct Own {
  Vector kernel;
  double of_distance = 0;  ///< what of their variance distance tells
};

Own own_of(const PlacedRows& rows) {
  const Table around = centred(rows.rows);
  return {table_kernel(rows), share_by_distance({.values = around * around.transpose(), .at = rows.at})};
}

/// Another table at the same positions.
PlacedRows in_place_of(const PlacedRows& rows, const Table& table) {
  return {.rows = table, .at = rows.at};
}

/// The sinusoid's rows at the positions that are kept.
PlacedRows sinusoid_in_place_of(const PlacedRows& rows, const Table& whole) {
  const Table sine = sinusoid_like(whole);
  return in_place_of(rows, sine(rows.at, Eigen::all));
}

/// Over as many distances as the table has rows.
void add_decay(Numbers& numbers, const Table& table, const Conditions& conditions) {
  const auto rows = static_cast<size_t>(table.rows());
  const auto columns = std::max<size_t>(2, static_cast<size_t>(table.cols()));
  const Vector sum = sum_kernel(exponential_frequency(kBase), columns, rows);
  const Vector integral = integral_kernel(exponential_frequency(kBase), rows);
  const Vector still = sum_kernel([](double) { return 1.0; }, 2, rows);
  const Table sine = sinusoid_like(table);
  RandomStream stream(conditions.seed, "kernel: white noise");
  const Table noise = drawn_surrogate(Surrogate::white_noise, table, stream);
  numbers.add(NumberBuilder(kOfDistanceR2, toeplitz_r2(sine * sine.transpose()))
                  .null(toeplitz_r2(noise * noise.transpose()), words_of(Surrogate::white_noise))
                  .control(1, localize("kernel.function_of_distance")));
  const NumberAdder add(numbers, sum, {still, words_of_one_frequency()}, {integral, localize("kernel.its_integral")});
  const auto add_named = [&](const NumberName& name, const auto& of) { add(name, settings(), of); };
  const auto farthest = static_cast<Index>(rows) - 1;
  for (const Index x : {Index{1}, kNearLag, kMiddle, farthest}) {
    const auto of = [x](const Vector& one) { return one(x); };
    add(kG, x == farthest ? kFarthest : std::to_string(x), {{"distance", x}}, of);
  }
  add_named(kFirstRise, [](const Vector& one) { return static_cast<double>(first_rising_step(one)); });
  add_named(kFallingShare, falling_share);
  add_named(kMinimum, [](const Vector& one) { return one.minCoeff(); });
  add_named(kFallTendency, tendency);
  add_named(kEnvelopeFarthest,
            [](const Vector& one) { return one.tail(std::max<Index>(1, one.size() / 10)).cwiseAbs().maxCoeff(); });
  add_named(kFromIntegral, [&](const Vector& one) { return (one - integral).cwiseAbs().maxCoeff(); });
  // In the middle of 1 ≪ distance ≪ base the logarithm is all there is.
  add_named(kFromLogarithm, [&](const Vector& one) { return one(kMiddle) - logarithmic_kernel(kBase, rows)(kMiddle); });
}

/// The table, its null and its control: a random walk and a sinusoid at the same positions.
struct OwnAndReferences {
  Own own;
  Own walk;
  Own sine;
};

OwnAndReferences own_and_references(const PlacedRows& rows, const Table& whole, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "kernel: random walk");
  const Table walk = drawn_surrogate(Surrogate::random_walk, rows.rows, stream);
  return {
      .own = own_of(rows), .walk = own_of(in_place_of(rows, walk)), .sine = own_of(sinusoid_in_place_of(rows, whole))};
}

void add_own(Numbers& numbers, const OwnAndReferences& tables) {
  const NumberAdder add(numbers, tables.own, {tables.walk, words_of(Surrogate::random_walk)},
                        {tables.sine, words_of_sinusoid()});
  const auto add_g = [&](Index distance) {
    add(kOwnG, std::to_string(distance), {{"distance", distance}},
        [distance](const Own& one) { return one.kernel(distance); });
  };
  add(kOwnOfDistance, &Own::of_distance);
  add_g(kNearLag);
  add_g(kMiddle);
  add(kOwnFirstRise, [](const Own& one) { return static_cast<double>(first_rising_step(one.kernel)); });
}

void add_choices(Numbers& numbers, size_t rows, size_t columns) {
  const auto still = [](double) { return 1.0; };
  const Vector none = sum_kernel(still, 2, std::max(rows, kPlotted));
  const Vector preferred = sum_kernel(exponential_frequency(kPreferred), columns, std::max(rows, kPlotted));
  const LocalizedText of_preferred = localize("kernel.preferred");
  for (const auto& one : frequencies()) {
    const Vector own = sum_kernel(one.frequency, columns, std::max(rows, kPlotted));
    const auto label = [&](const std::string& of, FormatArgs args) {
      args.push_back({"choice", one.series.words});
      return localize("kernel.of_choice." + of, args);
    };
    const NumberAdder add(numbers, own, {none, words_of_one_frequency()}, {preferred, of_preferred});
    for (const Index x : {kNearLag, kMiddle, kEnd}) {
      add(g_name(one.name, x), label("g", {{"distance", x}}), [x](const Vector& of) { return of(x); });
    }
    add(one.name.of("g_farthest"), label("g", {{"distance", none.size() - 1}}),
        [](const Vector& of) { return of(of.size() - 1); });
    add(one.name.of("first_rising_step"), label("first_rising_step", {}),
        [](const Vector& of) { return static_cast<double>(first_rising_step(of)); });
    // The sum of finitely many waves comes back one day; whether the curve crosses is read off the integral.
    numbers.add(NumberBuilder(one.name.of(kIntegralMinimum), label(kIntegralMinimum, settings()),
                              integral_kernel(one.frequency, kPlotted).minCoeff())
                    .null(none.head(kPlotted).minCoeff(), words_of_one_frequency())
                    .control(integral_kernel(exponential_frequency(kPreferred), kPlotted).minCoeff(), of_preferred));
  }
}

/// What the document says of the curves, each as one comparison.
struct Comparisons {
  bool between = true;          ///< others decay faster and slower than base 10⁴, near and far
  bool linear_crosses = false;  ///< θ = t crosses zero, base 10⁴ does not
  bool ordered = true;          ///< the smaller the frequencies, the slower
  bool powers_near = true;      ///< powers fall faster up to 8
  bool powers_far = true;       ///< and slower from 64 to 128

  [[nodiscard]] int met() const {
    return int{between} + int{linear_crosses} + int{ordered} + int{powers_near} + int{powers_far};
  }
};

Comparisons comparisons(const Numbers& numbers) {
  const auto g = [&](const NumberName& choice, Index x) { return g_of(numbers, choice, x); };
  Comparisons result;
  for (const Index x : {kNearLag, kEnd}) {
    const auto lower = [&](const NamedFrequency& one) { return g(one.name, x) < g(kBase10000, x); };
    const auto higher = [&](const NamedFrequency& one) { return g(one.name, x) > g(kBase10000, x); };
    result.between =
        result.between && std::ranges::any_of(frequencies(), lower) && std::ranges::any_of(frequencies(), higher);
  }
  result.linear_crosses =
      numbers.value(kPower1.of(kIntegralMinimum)) < 0 && numbers.value(kBase10000.of(kIntegralMinimum)) > 0;
  result.ordered = g(kBase100, kMiddle) < g(kBase1000, kMiddle) && g(kBase1000, kMiddle) < g(kBase10000, kMiddle) &&
                   g(kBase10000, kMiddle) < g(kBase100000, kMiddle);
  for (const auto& one : frequencies()) {
    if (!one.is_power) continue;
    result.powers_near = result.powers_near && g(one.name, kNearLag) < g(kBase10000, kNearLag);
    result.powers_far =
        result.powers_far && g(one.name, kMiddle) - g(one.name, kEnd) < g(kBase10000, kMiddle) - g(kBase10000, kEnd);
  }
  return result;
}

/// One curve for all choices meets none of the comparisons.
Number comparisons_met(const Numbers& choices) {
  return NumberBuilder(kComparisonsMet, comparisons(choices).met(), {{"comparisons", kComparisons}})
      .null(0, words_of_one_frequency())
      .control(kComparisons, localize("kernel.all_comparisons"));
}

/// θ fitted to inner products by distance.
struct Fitted {
  FittedBase base;
  FittedFrequencies free;

  /// In positions; a share of the energy turns faster.
  [[nodiscard]] double period(double share) const { return 2 * std::numbers::pi / free.quantile(1 - share); }
};

Fitted fitted_to(const Own& own, size_t columns) {
  return {fit_base(own.kernel, columns), fit_frequencies(own.kernel)};
}

void add_fitted(Numbers& numbers, const OwnAndReferences& tables, size_t columns) {
  const Fitted fitted = fitted_to(tables.own, columns);
  const Fitted walk = fitted_to(tables.walk, columns);
  const Fitted sine = fitted_to(tables.sine, columns);
  const NumberAdder add(numbers, fitted, {walk, words_of(Surrogate::random_walk)}, {sine, words_of_sinusoid()});
  add(kFittedBase, [](const Fitted& one) { return one.base.base; });
  add(kFittedBaseR2, [](const Fitted& one) { return one.base.r2; });
  add(kFittedFrequenciesR2, [](const Fitted& one) { return one.free.r2; });
  add(kShortestPeriod, [](const Fitted& one) { return one.period(0.1); });
  add(kMiddlePeriod, [](const Fitted& one) { return one.period(0.5); });
  add(kLongestPeriod, [](const Fitted& one) { return one.period(0.9); });
}

std::vector<Figure> figures_of(Shape shape, const Vector& own) {
  std::vector<KernelLine> choices;
  for (const auto& one : frequencies()) {
    choices.push_back({.of = one.series, .kernel = integral_kernel(one.frequency, kPlotted)});
  }
  return {plotted_figure(choices), sum_figure(kBase, shape, own)};
}

Findings run_kernel(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const auto left_out = outlying_rows(table);
  const PlacedRows rows = placed_rows(table, left_out);
  if (const auto gap = lacking(rows.rows, kLeastKernelRows, 1); gap || table.cols() < kLeastColumns) {
    const LocalizedText words = gap.value_or(localize("kernel.gaps.few_coordinates", settings()));
    findings.gaps = {{"4.3", words}, {"4.4", words}};
    return findings;
  }
  const auto columns = static_cast<size_t>(table.cols());
  const OwnAndReferences tables = own_and_references(rows, table, conditions);
  add_decay(findings.numbers["4.3"], table, conditions);
  conditions.progress(0.4);
  add_own(findings.numbers["4.3"], tables);
  conditions.progress(0.6);
  Numbers& choices = findings.numbers["4.4"];
  add_choices(choices, static_cast<size_t>(table.rows()), columns);
  choices.add(comparisons_met(choices));
  conditions.progress(0.8);
  add_fitted(findings.numbers["4.4"], tables, columns);
  findings.figures = figures_of({.rows = static_cast<size_t>(table.rows()), .columns = columns}, tables.own.kernel);
  findings.remarks.push_back(
      localize("kernel.remarks.closed_forms", {{"columns", columns}, {"rows", list_of(left_out)}}));
  conditions.progress(1);
  return findings;
}

/// Of inner products.
struct RuleInputs {
  double of_distance = 0;  ///< R²
  double tendency = 0;     ///< Kendall's τ
  double farthest = 0;     ///< largest size over the last tenth of distances
};

Observation evaluate(const RuleInputs& decay) {
  if (decay.of_distance < kOfDistance || decay.tendency <= kNoTendency) return Observation::fails;
  const bool falls = decay.tendency >= kTendency && decay.farthest <= kMostAtFarthest;
  return falls ? Observation::holds : Observation::cannot_be_told;
}

/// White noise and one frequency do not pass the rule, each for its own reason, and the integral does.
bool controls_pass(const Numbers& numbers) {
  const double of_noise = numbers.null(kOfDistanceR2);
  const double exact = numbers.control(kOfDistanceR2);
  const RuleInputs noise{of_noise, numbers.value(kFallTendency), numbers.value(kEnvelopeFarthest)};
  const RuleInputs still{exact, numbers.null(kFallTendency), numbers.null(kEnvelopeFarthest)};
  const RuleInputs integral{exact, numbers.control(kFallTendency), numbers.control(kEnvelopeFarthest)};
  return evaluate(noise) != Observation::holds && evaluate(still) != Observation::holds &&
         evaluate(integral) == Observation::holds;
}

Verdict judge_decay(const Numbers& numbers) {
  const RuleInputs own{numbers.value(kOfDistanceR2), numbers.value(kFallTendency), numbers.value(kEnvelopeFarthest)};
  Verdict verdict;
  verdict.observation = observation_if(controls_pass(numbers), evaluate(own));
  verdict.number = deciding_number({{kOfDistanceR2, own.of_distance >= kOfDistance},
                                    {kFallTendency, own.tendency >= kTendency},
                                    {kEnvelopeFarthest, own.farthest <= kMostAtFarthest}});
  if (verdict.observation != Observation::cannot_be_told) {
    const bool near = numbers.value(kFromIntegral) <= kNearIntegral;
    verdict.inference =
        near && verdict.observation == Observation::holds ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason = localize("kernel.reasons.decay", {{"of_distance", own.of_distance},
                                                     {"tendency", own.tendency},
                                                     {"farthest", numbers.value(kG.of(kFarthest))},
                                                     {"rising", numbers.value(kFirstRise)},
                                                     {"falling", 100 * numbers.value(kFallingShare)},
                                                     {"integral", numbers.value(kFromIntegral)},
                                                     {"own", numbers.value(kOwnOfDistance)},
                                                     {"walk", numbers.null(kOwnOfDistance)}});
  return verdict;
}

Verdict judge_choice(const Numbers& numbers) {
  const Comparisons made = comparisons(numbers);
  const int met = made.met();
  Verdict verdict;
  verdict.number = kComparisonsMet.name;
  verdict.observation = met == kComparisons                ? Observation::holds
                        : !made.between || met < kLeastMet ? Observation::fails
                                                           : Observation::cannot_be_told;
  verdict.inference = Inference::not_tested;
  FormatArgs args = settings();
  args.insert(args.end(), {{"met", met},
                           {"base_10000", g_of(numbers, kBase10000, kMiddle)},
                           {"base_1000", g_of(numbers, kBase1000, kMiddle)},
                           {"power_2", g_of(numbers, kPower2, kMiddle)},
                           {"fitted", numbers.value(kFittedBase)},
                           {"r2", numbers.value(kFittedBaseR2)}});
  verdict.reason = localize("kernel.reasons.choice", args);
  return verdict;
}

/// What of the sinusoid's inner products is so at this width.
LocalizedText words_of_decay(const Numbers& decay, Observation observation) {
  const char* falls = observation == Observation::fails   ? "does_not"
                      : observation != Observation::holds ? "not_told"
                      : decay.value(kFallingShare) < 1    ? "by_tendency"
                                                          : "every_step";
  return localize(std::string("kernel.answers.") + falls, {{"rising", decay.value(kFirstRise)}});
}

LocalizedText answer_kernel(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.3")) return gap_answer(findings.gaps.at("4.3"));
  const Numbers& choice = findings.numbers.at("4.4");
  const bool ordinary = verdicts.at("4.4").observation == Observation::holds;
  return localize(
      "kernel.answer",
      {{"decay", words_of_decay(findings.numbers.at("4.3"), verdicts.at("4.3").observation)},
       {"choice", localize(ordinary ? "kernel.answers.one_of_many" : "kernel.answers.not_shown", {{"base", kBase}})},
       {"fitted", choice.value(kFittedBase)},
       {"explained", 100 * choice.value(kFittedBaseR2)}});
}

}  // namespace
}  // namespace kernel

Experiment kernel_experiment() {
  using namespace kernel;
  Experiment experiment = described_experiment("kernel", settings());
  experiment.rules = {described_rule("kernel", "4.3", judge_decay, settings(), {.kind = Kind::algebra, .claim = "4.3"}),
                      described_rule("kernel", "4.4", judge_choice, settings(), {.kind = Kind::algebra})};
  experiment.run = run_kernel;
  experiment.answer = answer_kernel;
  return experiment;
}

}  // namespace summand::lab
