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
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/kernel/kernels.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace kernel {
namespace {

using Eigen::Index;

constexpr double kBase = 10000;
constexpr double kPreferred = 1000;  // by the document's author
constexpr size_t kPlotted = 129;     // distances 0 … 128, as the document plots them
constexpr size_t kLeastKernelRows = 129;
constexpr double kOfDistance = 0.999;  // R² from which inner products are a function of distance
constexpr double kNotKernel = 0.5;
constexpr double kTendency = 0.5;        // Kendall's τ of distance and fall
constexpr double kMostAtFarthest = 0.5;  // what is left at the farthest, at most
constexpr Index kNearLag = 8;
constexpr Index kMiddle = 64;
constexpr Index kEnd = 128;
constexpr Index kLeastColumns = 2;
constexpr int kComparisons = 5;  // that document 004 makes
constexpr int kLeastMet = 3;     // most of them; the rule says both in words

constexpr NumberName kOfDistanceR2{"kernel", "of_distance"};
constexpr NumberName kG{"kernel", "g"};
constexpr NumberName kFirstRise{"kernel", "first_rising_step"};
constexpr NumberName kFallingShare{"kernel", "falling_share"};
constexpr NumberName kMinimum{"kernel", "minimum"};
constexpr NumberName kFallTendency{"kernel", "tendency"};
constexpr NumberName kEnvelopeFarthest{"kernel", "envelope_farthest"};
constexpr NumberName kBesideLogarithm{"kernel", "beside_logarithm_64"};
constexpr NumberName kOwnOfDistance{"kernel", "own_of_distance"};
constexpr NumberName kOwnG{"kernel", "own_g"};
constexpr NumberName kOwnFirstRise{"kernel", "own_first_rising_step"};
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
Fills settings() {
  return {{"base", kBase},          {"of_distance", kOfDistance}, {"tendency", kTendency}, {"left", kMostAtFarthest},
          {"near", kNearLag},       {"middle", kMiddle},          {"end", kEnd},           {"plotted", kPlotted - 1},
          {"least", kLeastColumns}, {"comparisons", kComparisons}};
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
  static const std::vector<NamedFrequency> list{base(kBase100, {.colour = "@sky"}, 1e2),
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

/// A text of a figure: "kernel-sum.title".
Words figure_text(const std::string& path) {
  return wording("kernel.figures." + path);
}

enum class Sides { right, both };

Figure kernel_figure(const std::string& file, Sides sides,
                     const std::vector<std::pair<chart::Series, Vector>>& kernels) {
  using namespace chart;
  std::vector<double> distance;
  std::vector<double> value;
  std::vector<Words> of;
  std::vector<Series> series;
  for (const auto& [one, kernel] : kernels) {
    series.push_back(one);
    for (Index x = sides == Sides::both ? 1 - kernel.size() : 0; x < kernel.size(); ++x) {
      distance.push_back(static_cast<double>(x));
      value.push_back(kernel(std::abs(x)));
      of.push_back(one.words);
    }
  }
  return {.name = file,
          .title = figure_text(file + ".title"),
          .caption = figure_text(file + ".caption"),
          .specification = layers(
              {rule("y", 0), mark({{"type", "line"}}, of_lines({{"x", whole("distance", figure_text("distance"))},
                                                                {"y", number("value", figure_text("ratio"), ".3f")}},
                                                               "of", figure_text("choice_of_theta"), series))}),
          .data = FigureData{{{"distance", distance}, {"value", value}, {"of", of}}}};
}

/// A table that turns at one frequency alone: a function of distance, and no decay.
Words words_of_one_frequency() {
  return wording("kernel.one_frequency");
}

struct Own {
  Vector kernel;
  double toeplitz = 0;
};

Own own_of(const Table& table) {
  const Table around = centred(table);
  return {table_kernel(around, static_cast<size_t>(table.rows())), toeplitz_r2(around * around.transpose())};
}

void add_decay(Numbers& numbers, const Table& table, const Conditions& conditions) {
  const auto rows = static_cast<size_t>(table.rows());
  const auto columns = std::max<size_t>(2, static_cast<size_t>(table.cols()));
  const Vector sum = sum_kernel(exponential_frequency(kBase), columns, rows);
  const Vector integral = integral_kernel(exponential_frequency(kBase), rows);
  const Vector still = sum_kernel([](double) { return 1.0; }, 2, rows);
  const Table sine = sinusoid_like(table);
  RandomStream stream(conditions.seed, "kernel: white noise");
  const Table noise = drawn_surrogate(Surrogate::white_noise, table, stream);
  numbers.add(Measured(kOfDistanceR2, toeplitz_r2(sine * sine.transpose()))
                  .null(toeplitz_r2(noise * noise.transpose()), words_of(Surrogate::white_noise))
                  .control(1, wording("kernel.function_of_distance")));
  const Words of_integral = wording("kernel.its_integral");
  const auto add = [&](Measured number, const auto& of) {
    numbers.add(number.null(of(still), words_of_one_frequency()).control(of(integral), of_integral));
  };
  const auto add_named = [&](const NumberName& name, const auto& of) { add(Measured(name, of(sum), settings()), of); };
  const auto farthest = static_cast<Index>(rows) - 1;
  for (const Index x : {Index{1}, kNearLag, kMiddle, farthest}) {
    const auto of = [x](const Vector& one) { return one(x); };
    add(Measured(kG, x == farthest ? kFarthest : std::to_string(x), of(sum), {{"distance", x}}), of);
  }
  add_named(kFirstRise, [](const Vector& one) { return static_cast<double>(first_rising_step(one)); });
  add_named(kFallingShare, falling_share);
  add_named(kMinimum, [](const Vector& one) { return one.minCoeff(); });
  add_named(kFallTendency, tendency);
  add_named(kEnvelopeFarthest,
            [](const Vector& one) { return one.tail(std::max<Index>(1, one.size() / 10)).cwiseAbs().maxCoeff(); });
  // In the middle of 1 ≪ distance ≪ base the logarithm is all there is.
  add_named(kBesideLogarithm,
            [&](const Vector& one) { return one(kMiddle) - logarithmic_kernel(kBase, rows)(kMiddle); });
}

/// The checkpoint's own inner products, centred, beside those of a random walk and of a sinusoid.
void add_own(Numbers& numbers, const Table& table, const Own& own, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "kernel: random walk");
  const Own walk = own_of(drawn_surrogate(Surrogate::random_walk, table, stream));
  const Own sine = own_of(sinusoid_like(table));
  const auto add = [&](Measured number, const auto& of) {
    numbers.add(number.null(of(walk), words_of(Surrogate::random_walk)).control(of(sine), words_of_sinusoid()));
  };
  const auto add_g = [&](Index distance) {
    const auto of = [distance](const Own& one) { return one.kernel(distance); };
    add(Measured(kOwnG, std::to_string(distance), of(own), {{"distance", distance}}), of);
  };
  add(Measured(kOwnOfDistance, own.toeplitz), [](const Own& one) { return one.toeplitz; });
  add_g(kNearLag);
  add_g(kMiddle);
  const auto rise = [](const Own& one) { return static_cast<double>(first_rising_step(one.kernel)); };
  add(Measured(kOwnFirstRise, rise(own)), rise);
}

void add_choices(Numbers& numbers, size_t rows, size_t columns) {
  const auto still = [](double) { return 1.0; };
  const Vector none = sum_kernel(still, 2, std::max(rows, kPlotted));
  const Vector preferred = sum_kernel(exponential_frequency(kPreferred), columns, std::max(rows, kPlotted));
  const Words of_preferred = wording("kernel.preferred");
  for (const auto& one : frequencies()) {
    const Vector own = sum_kernel(one.frequency, columns, std::max(rows, kPlotted));
    const auto label = [&](const std::string& of, Fills fills) {
      fills.push_back({"choice", one.series.words});
      return wording("kernel.of_choice." + of, fills);
    };
    const auto add = [&](const std::string& name, const Words& words, const auto& of) {
      numbers.add(
          Measured(name, words, of(own)).null(of(none), words_of_one_frequency()).control(of(preferred), of_preferred));
    };
    for (const Index x : {kNearLag, kMiddle, kEnd}) {
      add(g_name(one.name, x), label("g", {{"distance", x}}), [x](const Vector& of) { return of(x); });
    }
    add(one.name.of("g_farthest"), label("g", {{"distance", none.size() - 1}}),
        [](const Vector& of) { return of(of.size() - 1); });
    add(one.name.of("first_rising_step"), label("first_rising_step", {}),
        [](const Vector& of) { return static_cast<double>(first_rising_step(of)); });
    // The sum of finitely many waves comes back one day; whether the curve crosses is read off the integral.
    numbers.add(Measured(one.name.of(kIntegralMinimum), label(kIntegralMinimum, settings()),
                         integral_kernel(one.frequency, kPlotted).minCoeff())
                    .null(none.head(kPlotted).minCoeff(), words_of_one_frequency())
                    .control(integral_kernel(exponential_frequency(kPreferred), kPlotted).minCoeff(), of_preferred));
  }
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

void add_fitted(Numbers& numbers, const Table& table, const Own& own, const Conditions& conditions) {
  const auto columns = static_cast<size_t>(table.cols());
  RandomStream stream(conditions.seed, "kernel: random walk");
  const Fitted fitted = fitted_to(own, columns);
  const Fitted walk = fitted_to(own_of(drawn_surrogate(Surrogate::random_walk, table, stream)), columns);
  const Fitted sine = fitted_to(own_of(sinusoid_like(table)), columns);
  const auto add = [&](const NumberName& name, const auto& of) {
    numbers.add(Measured(name, of(fitted))
                    .null(of(walk), words_of(Surrogate::random_walk))
                    .control(of(sine), words_of_sinusoid()));
  };
  add(kFittedBase, [](const Fitted& one) { return one.base.base; });
  add(kFittedBaseR2, [](const Fitted& one) { return one.base.r2; });
  add(kFittedFrequenciesR2, [](const Fitted& one) { return one.free.r2; });
  add(kShortestPeriod, [](const Fitted& one) { return one.period(0.1); });
  add(kMiddlePeriod, [](const Fitted& one) { return one.period(0.5); });
  add(kLongestPeriod, [](const Fitted& one) { return one.period(0.9); });
}

std::vector<Figure> figures_of(size_t rows, size_t columns, const Own& own) {
  const auto base = exponential_frequency(kBase);
  const Vector sum = sum_kernel(base, columns, rows);
  std::vector<std::pair<chart::Series, Vector>> choices;
  for (const auto& one : frequencies()) {
    choices.emplace_back(one.series, integral_kernel(one.frequency, kPlotted));
  }
  const auto series = [](const std::string& name, chart::Look look) {
    return chart::Series{figure_text("kernel-sum." + name), std::move(look)};
  };
  return {kernel_figure("kernel-plotted", Sides::both, choices),
          kernel_figure("kernel-sum", Sides::right,
                        {{series("sum", {.colour = "@orange"}), sum},
                         {series("envelope", {.colour = "@red", .dash = {2, 3}}), envelope(sum)},
                         {series("integral", {.colour = "@green", .dash = {8, 3}}), integral_kernel(base, rows)},
                         {series("logarithm", {.colour = "@purple", .dash = {4, 4}}), logarithmic_kernel(kBase, rows)},
                         {series_of_table(), own.kernel}})};
}

Findings run_kernel(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = without_rows(subject.positions, outlying_rows(subject.positions));
  if (const auto gap = lacking(table, kLeastKernelRows, 1); gap || table.cols() < kLeastColumns) {
    const Words words = gap.value_or(wording("kernel.gaps.few_coordinates", settings()));
    findings.gaps = {{"4.3", words}, {"4.4", words}};
    return findings;
  }
  const auto rows = static_cast<size_t>(table.rows());
  const auto columns = static_cast<size_t>(table.cols());
  const Own own = own_of(table);
  add_decay(findings.numbers["4.3"], table, conditions);
  conditions.progress(0.4);
  add_own(findings.numbers["4.3"], table, own, conditions);
  conditions.progress(0.6);
  add_choices(findings.numbers["4.4"], rows, columns);
  conditions.progress(0.8);
  add_fitted(findings.numbers["4.4"], table, own, conditions);
  findings.figures = figures_of(rows, columns, own);
  findings.remarks.push_back(wording("kernel.remarks.closed_forms", {{"columns", columns}}));
  conditions.progress(1);
  return findings;
}

Verdict judge_decay(const Numbers& numbers) {
  const bool of_distance = numbers.value(kOfDistanceR2) >= kOfDistance;
  const double tau = numbers.value(kFallTendency);
  const double far = numbers.value(kEnvelopeFarthest);
  Verdict verdict;
  const bool told_apart = numbers.null(kOfDistanceR2) < kNotKernel && numbers.null(kFallTendency) < kTendency &&
                          numbers.control(kFallTendency) >= kTendency;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (of_distance && tau >= kTendency && far <= kMostAtFarthest) {
    verdict.observation = Observation::holds;
  } else if (!of_distance || tau <= 0) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const bool always_falls = numbers.value(kFallingShare) >= 1;
  verdict.inference = always_falls ? Inference::follows : Inference::does_not_follow;
  verdict.reason = wording("kernel.reasons.decay", {{"of_distance", numbers.value(kOfDistanceR2)},
                                                    {"tendency", tau},
                                                    {"farthest", numbers.value(kG.of(kFarthest))},
                                                    {"rising", numbers.value(kFirstRise)},
                                                    {"falling", 100 * numbers.value(kFallingShare)},
                                                    {"own", numbers.value(kOwnOfDistance)},
                                                    {"walk", numbers.null(kOwnOfDistance)}});
  return verdict;
}

/// What the document says of the curves, each as one comparison.
struct Comparisons {
  bool between = true;          ///< others decay faster and slower than base 10⁴, near and far
  bool linear_crosses = false;  ///< θ = t crosses zero, base 10⁴ does not
  bool ordered = true;          ///< the smaller the frequencies, the slower
  bool powers_near = true;      ///< powers fall faster up to 8
  bool powers_far = true;       ///< and slower from 64 to 128
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

Verdict judge_choice(const Numbers& numbers) {
  const Comparisons made = comparisons(numbers);
  const int met =
      int{made.between} + int{made.linear_crosses} + int{made.ordered} + int{made.powers_near} + int{made.powers_far};
  Verdict verdict;
  verdict.observation = met == kComparisons                ? Observation::holds
                        : !made.between || met < kLeastMet ? Observation::fails
                                                           : Observation::cannot_be_told;
  verdict.inference = Inference::not_tested;
  Fills fills = settings();
  fills.insert(fills.end(), {{"met", met},
                             {"base_10000", g_of(numbers, kBase10000, kMiddle)},
                             {"base_1000", g_of(numbers, kBase1000, kMiddle)},
                             {"power_2", g_of(numbers, kPower2, kMiddle)},
                             {"fitted", numbers.value(kFittedBase)},
                             {"r2", numbers.value(kFittedBaseR2)}});
  verdict.reason = wording("kernel.reasons.choice", fills);
  return verdict;
}

Words answer_kernel(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.3")) return findings.gaps.at("4.3");
  const Numbers& decay = findings.numbers.at("4.3");
  const Numbers& choice = findings.numbers.at("4.4");
  return wording("kernel.answer", {{"rising", decay.value(kFirstRise)},
                                   {"base", kBase},
                                   {"fitted", choice.value(kFittedBase)},
                                   {"explained", 100 * choice.value(kFittedBaseR2)}});
}

}  // namespace
}  // namespace kernel

Experiment kernel_experiment() {
  using namespace kernel;
  Experiment experiment = described_experiment("kernel", settings());
  experiment.rules = {described_rule("kernel", "4.3", judge_decay, settings()),
                      described_rule("kernel", "4.4", judge_choice, settings())};
  experiment.run = run_kernel;
  experiment.answer = answer_kernel;
  return experiment;
}

}  // namespace summand::lab
