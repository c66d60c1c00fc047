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

double tendency(const Vector& kernel) {
  const Vector falling = -Vector::LinSpaced(kernel.size(), 0, static_cast<double>(kernel.size() - 1));
  return kendall_tau(elements(falling), elements(kernel));
}

struct NamedFrequency {
  std::string name;  ///< in results.json: "base_1000"
  chart::Series series;
  Frequency frequency;
  bool is_power = false;
};

const std::vector<NamedFrequency>& frequencies() {
  const auto base = [](const char* exponent, chart::Look look) {
    return chart::Series{{std::string("base 10") + exponent, std::string("底数 10") + exponent}, std::move(look)};
  };
  const auto power = [](const char* of_t, chart::Look look) { return chart::Series{{of_t, of_t}, std::move(look)}; };
  static const std::vector<NamedFrequency> list{
      {"base_100", base("²", {.colour = "@sky"}), exponential_frequency(1e2)},
      {"base_1000", base("³", {.colour = "@green"}), exponential_frequency(1e3)},
      {"base_10000", base("⁴", {.colour = "@orange", .width = 2.5}), exponential_frequency(1e4)},
      {"base_100000", base("⁵", {.colour = "@blue"}), exponential_frequency(1e5)},
      {"power_half", power("√t", {.colour = "@purple", .dash = {8, 3}}), power_frequency(0.5), true},
      {"power_1", power("t", {.colour = "@red", .dash = {2, 2}}), power_frequency(1), true},
      {"power_2", power("t²", {.colour = "@soft", .dash = {5, 3}}), power_frequency(2), true},
      {"power_3", power("t³", {.colour = "@faint", .dash = {8, 3, 2, 3}}), power_frequency(3), true}};
  return list;
}

enum class Sides { right, both };

Figure kernel_figure(std::string file, const Words& title, const Words& caption, Sides sides,
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
  const Words ratio{"p(m)·p(n) / p(m)·p(m)", "p(m)·p(n) / p(m)·p(m)"};
  return {.name = std::move(file),
          .title = title,
          .caption = caption,
          .specification =
              layers({rule("y", 0), mark({{"type", "line"}}, of_lines({{"x", whole("distance", {"m − n", "m − n"})},
                                                                       {"y", number("value", ratio, ".3f")}},
                                                                      "of", {"choice of θ", "θ 的取法"}, series))}),
          .data = FigureData{{{"distance", distance}, {"value", value}, {"of", of}}}};
}

/// A table that turns at one frequency alone: a function of distance, and no decay.
Words words_of_one_frequency() {
  return {"one frequency for all pairs", "各对同一频率"};
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
  numbers.add(Measured("of_distance", {"R² of inner products by distance, sinusoid", "正弦编码内积按距离的 R²"},
                       toeplitz_r2(sine * sine.transpose()))
                  .null(toeplitz_r2(noise * noise.transpose()), words_of(Surrogate::white_noise))
                  .control(1, {"a function of distance", "距离的函数"}));
  const Words of_integral{"its integral", "其积分"};
  const auto add = [&](const std::string& name, Words label, const auto& of) {
    numbers.add(Measured(name, std::move(label), of(sum))
                    .null(of(still), words_of_one_frequency())
                    .control(of(integral), of_integral));
  };
  for (const size_t x : {size_t{1}, size_t{8}, size_t{64}, rows - 1}) {
    add(x == rows - 1 ? std::string("g_farthest") : fmt::format("g_{}", x),
        {fmt::format("g({}) of the sum", x), fmt::format("求和的 g({})", x)},
        [x](const Vector& kernel) { return kernel(static_cast<Index>(x)); });
  }
  add("first_rising_step", {"first distance at which it rises", "首次回升的距离"},
      [](const Vector& kernel) { return static_cast<double>(first_rising_step(kernel)); });
  add("falling_share", {"share of steps that fall", "下降步的比例"}, falling_share);
  add("minimum", {"its minimum", "最小值"}, [](const Vector& kernel) { return kernel.minCoeff(); });
  add("tendency", {"Kendall's τ of distance and fall", "距离与下降的 Kendall τ"}, tendency);
  add("envelope_farthest", {"largest |g| over the last tenth of distances", "最远十分之一距离上 |g| 的最大值"},
      [](const Vector& kernel) { return kernel.tail(std::max<Index>(1, kernel.size() / 10)).cwiseAbs().maxCoeff(); });
  // In the middle of 1 ≪ distance ≪ base the logarithm is all there is.
  add("beside_logarithm_64", {"g(64) less 1 − (ln 64 + γ)/ln base", "g(64) 减去 1 − (ln 64 + γ)/ln 底数"},
      [&](const Vector& kernel) { return kernel(kMiddle) - logarithmic_kernel(kBase, rows)(kMiddle); });
}

/// The checkpoint's own inner products, centred, beside those of a random walk and of a sinusoid.
void add_own(Numbers& numbers, const Table& table, const Own& own, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "kernel: random walk");
  const Own walk = own_of(drawn_surrogate(Surrogate::random_walk, table, stream));
  const Own sine = own_of(sinusoid_like(table));
  const auto add = [&](const char* name, Words label, const auto& of) {
    numbers.add(Measured(name, std::move(label), of(own))
                    .null(of(walk), words_of(Surrogate::random_walk))
                    .control(of(sine), words_of_sinusoid()));
  };
  add("own_of_distance", {"the table's own: R² by distance, centred", "此表：按距离的 R²（中心化）"},
      [](const Own& one) { return one.toeplitz; });
  add("own_g_8", {"the table's own g(8), centred", "此表的 g(8)（中心化）"},
      [](const Own& one) { return one.kernel(kNearLag); });
  add("own_g_64", {"the table's own g(64), centred", "此表的 g(64)（中心化）"},
      [](const Own& one) { return one.kernel(kMiddle); });
  add("own_first_rising_step", {"where the table's own first rises", "此表首次回升处"},
      [](const Own& one) { return static_cast<double>(first_rising_step(one.kernel)); });
}

void add_choices(Numbers& numbers, size_t rows, size_t columns) {
  const auto still = [](double) { return 1.0; };
  const Vector none = sum_kernel(still, 2, std::max(rows, kPlotted));
  const Vector preferred = sum_kernel(exponential_frequency(kPreferred), columns, std::max(rows, kPlotted));
  const Words of_preferred{"base 10³, the author's choice", "底数 10³，作者所选"};
  for (const auto& one : frequencies()) {
    const Vector kernel = sum_kernel(one.frequency, columns, std::max(rows, kPlotted));
    const auto add = [&](const std::string& name, Words label, const auto& of) {
      numbers.add(Measured(one.name + "_" + name,
                           {one.series.words.en + ": " + label.en, one.series.words.zh + "：" + label.zh}, of(kernel))
                      .null(of(none), words_of_one_frequency())
                      .control(of(preferred), of_preferred));
    };
    for (const Index x : {kNearLag, kMiddle, kEnd}) {
      add(fmt::format("g_{}", x), {fmt::format("g({})", x), fmt::format("g({})", x)},
          [x](const Vector& of) { return of(x); });
    }
    add("g_farthest", {fmt::format("g({})", none.size() - 1), fmt::format("g({})", none.size() - 1)},
        [](const Vector& of) { return of(of.size() - 1); });
    add("first_rising_step", {"first distance at which it rises", "首次回升的距离"},
        [](const Vector& of) { return static_cast<double>(first_rising_step(of)); });
    // The sum of finitely many waves comes back one day; whether the curve crosses is read off the integral.
    numbers.add(Measured(one.name + "_integral_minimum",
                         {one.series.words.en + ": the integral's minimum up to 128",
                          one.series.words.zh + "：128 以内积分的最小值"},
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
  const auto add = [&](const char* name, Words label, const auto& of) {
    numbers.add(Measured(name, std::move(label), of(fitted))
                    .null(of(walk), words_of(Surrogate::random_walk))
                    .control(of(sine), words_of_sinusoid()));
  };
  add("fitted_base", {"base that fits the table's own inner products", "最贴合此表内积的底数"},
      [](const Fitted& one) { return one.base.base; });
  add("fitted_base_r2", {"its R²", "其 R²"}, [](const Fitted& one) { return one.base.r2; });
  add("fitted_frequencies_r2", {"R² of free frequencies, none negative", "自由频率（非负）的 R²"},
      [](const Fitted& one) { return one.free.r2; });
  add("fitted_period_shortest",
      {"period that a tenth of them turns faster than, in positions", "其中十分之一快于此周期（位置数）"},
      [](const Fitted& one) { return one.period(0.1); });
  add("fitted_period_middle", {"their median period, in positions", "其中位周期（位置数）"},
      [](const Fitted& one) { return one.period(0.5); });
  add("fitted_period_longest",
      {"period that a tenth of them turns slower than, in positions", "其中十分之一慢于此周期（位置数）"},
      [](const Fitted& one) { return one.period(0.9); });
}

std::vector<Figure> figures_of(size_t rows, size_t columns, const Own& own) {
  const auto base = exponential_frequency(kBase);
  const Vector sum = sum_kernel(base, columns, rows);
  std::vector<std::pair<chart::Series, Vector>> choices;
  for (const auto& one : frequencies()) {
    choices.emplace_back(one.series, integral_kernel(one.frequency, kPlotted));
  }
  return {kernel_figure("kernel-plotted", {"The integral, as document 004 plots it", "积分，如文档 004 所绘"},
                        {"∫cos((m − n)·θ) dt for each choice of θ; only t itself crosses zero soon.",
                         "各种 θ 的 ∫cos((m − n)·θ) dt；只有 t 本身很快穿过零。"},
                        Sides::both, choices),
          kernel_figure("kernel-sum", {"Sum, integral and the table's own", "求和、积分与此表本身"},
                        {"Base 10⁴ at this width. The sum ripples where the integral is smooth; the table's own inner "
                         "products are centred, so that they fall below zero.",
                         "底数 10⁴，宽度同此表。积分光滑处求和有波纹；此表内积已中心化，故会低于零。"},
                        Sides::right,
                        {{{{"sum", "求和"}, {.colour = "@orange"}}, sum},
                         {{{"its envelope", "其包络"}, {.colour = "@red", .dash = {2, 3}}}, envelope(sum)},
                         {{{"integral", "积分"}, {.colour = "@green", .dash = {8, 3}}}, integral_kernel(base, rows)},
                         {{{"1 − (ln k + γ)/ln base", "1 − (ln k + γ)/ln 底数"}, {.colour = "@purple", .dash = {4, 4}}},
                          logarithmic_kernel(kBase, rows)},
                         {series_of_table(), own.kernel}})};
}

Findings run_kernel(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = without_rows(subject.positions, outlying_rows(subject.positions));
  if (const auto gap = lacking(table, kLeastKernelRows, 1); gap || table.cols() < 2) {
    const Words words = gap.value_or(Words{"needs at least 2 coordinates", "需要至少 2 个维度"});
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
  findings.remarks.push_back(
      {fmt::format("Closed forms at the table's width, {}. A finite sum of waves has no limit: it comes back. Weighted "
                   "by the model's own H it may fall otherwise; that is measured elsewhere, later.",
                   columns),
       fmt::format(
           "封闭形式取此表宽度 {}。有限个波之和没有极限：它会回来。以模型自己的 H 加权后可能不同；此项留待以后测量。",
           columns)});
  conditions.progress(1);
  return findings;
}

Verdict judge_decay(const Numbers& numbers) {
  const bool of_distance = numbers.value("of_distance") >= kOfDistance;
  const double tau = numbers.value("tendency");
  const double far = numbers.value("envelope_farthest");
  Verdict verdict;
  const bool told_apart = numbers.null("of_distance") < kNotKernel && numbers.null("tendency") < kTendency &&
                          numbers.control("tendency") >= kTendency;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (of_distance && tau >= kTendency && far <= kMostAtFarthest) {
    verdict.observation = Observation::holds;
  } else if (!of_distance || tau <= 0) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const bool always_falls = numbers.value("falling_share") >= 1;
  verdict.inference = always_falls ? Inference::follows : Inference::does_not_follow;
  verdict.reason = {
      fmt::format(
          "a function of the distance (R² {:.3f}) that falls by tendency (τ {:.2f}) to {:.2f}; it first rises "
          "at {:.0f}, and {:.0f} % of its steps fall. The table's own products are one with R² {:.2f}, a random "
          "walk's with {:.2f}",
          numbers.value("of_distance"), tau, numbers.value("g_farthest"), numbers.value("first_rising_step"),
          100 * numbers.value("falling_share"), numbers.value("own_of_distance"), numbers.null("own_of_distance")),
      fmt::format("是距离的函数（R² {:.3f}），总体下降（τ {:.2f}）至 {:.2f}；首次回升在 {:.0f}，{:.0f}% "
                  "的步下降。此表内积的 R² 为 {:.2f}，随机游走为 {:.2f}",
                  numbers.value("of_distance"), tau, numbers.value("g_farthest"), numbers.value("first_rising_step"),
                  100 * numbers.value("falling_share"), numbers.value("own_of_distance"),
                  numbers.null("own_of_distance"))};
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
  const auto g = [&](const std::string& name, Index x) { return numbers.value(fmt::format("{}_g_{}", name, x)); };
  const std::string own = "base_10000";
  Comparisons result;
  for (const Index x : {kNearLag, kEnd}) {
    const auto lower = [&](const NamedFrequency& one) { return g(one.name, x) < g(own, x); };
    const auto higher = [&](const NamedFrequency& one) { return g(one.name, x) > g(own, x); };
    result.between =
        result.between && std::ranges::any_of(frequencies(), lower) && std::ranges::any_of(frequencies(), higher);
  }
  result.linear_crosses =
      numbers.value("power_1_integral_minimum") < 0 && numbers.value("base_10000_integral_minimum") > 0;
  result.ordered = g("base_100", kMiddle) < g("base_1000", kMiddle) && g("base_1000", kMiddle) < g(own, kMiddle) &&
                   g(own, kMiddle) < g("base_100000", kMiddle);
  for (const auto& one : frequencies()) {
    if (!one.is_power) continue;
    result.powers_near = result.powers_near && g(one.name, kNearLag) < g(own, kNearLag);
    result.powers_far = result.powers_far && g(one.name, kMiddle) - g(one.name, kEnd) < g(own, kMiddle) - g(own, kEnd);
  }
  return result;
}

Verdict judge_choice(const Numbers& numbers) {
  const Comparisons made = comparisons(numbers);
  const int met =
      int{made.between} + int{made.linear_crosses} + int{made.ordered} + int{made.powers_near} + int{made.powers_far};
  Verdict verdict;
  verdict.observation = met == 5                   ? Observation::holds
                        : !made.between || met < 3 ? Observation::fails
                                                   : Observation::cannot_be_told;
  verdict.inference = Inference::not_tested;
  verdict.reason = {
      fmt::format("{} of the document's 5 comparisons are met; at 64 base 10⁴ leaves {:.2f}, base 10³ {:.2f}, t² "
                  "{:.2f}; of all bases {:.0f} fits the table's own products best (R² {:.2f}). Which serves a model "
                  "better, models trained with each would tell",
                  met, numbers.value("base_10000_g_64"), numbers.value("base_1000_g_64"), numbers.value("power_2_g_64"),
                  numbers.value("fitted_base"), numbers.value("fitted_base_r2")),
      fmt::format("文档的 5 项比较中 {} 项成立；距离 64 处底数 10⁴ 余 {:.2f}，10³ 余 {:.2f}，t² 余 "
                  "{:.2f}；最贴合此表内积的底数为 {:.0f}（R² {:.2f}）。哪个对模型更好，须各自训练才知道",
                  met, numbers.value("base_10000_g_64"), numbers.value("base_1000_g_64"), numbers.value("power_2_g_64"),
                  numbers.value("fitted_base"), numbers.value("fitted_base_r2"))};
  return verdict;
}

Words answer_kernel(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.3")) return findings.gaps.at("4.3");
  const Numbers& decay = findings.numbers.at("4.3");
  const Numbers& choice = findings.numbers.at("4.4");
  return {
      fmt::format("A sinusoid's inner products fall by tendency, not at every step: at this width they first rise "
                  "at distance {:.0f}. 10000 is one choice among many; base {:.0f} comes nearest to what this "
                  "table learned, and explains {:.0f} % of it.",
                  decay.value("first_rising_step"), choice.value("fitted_base"), 100 * choice.value("fitted_base_r2")),
      fmt::format("正弦编码的内积总体下降，但并非步步下降：此宽度下首次回升在距离 {:.0f}。10000 "
                  "只是众多选择之一；最接近此表所学的底数是 {:.0f}，可解释其中的 {:.0f}%。",
                  decay.value("first_rising_step"), choice.value("fitted_base"), 100 * choice.value("fitted_base_r2"))};
}

}  // namespace

Experiment kernel_experiment() {
  return {
      .name = "kernel",
      .title = {"The sinusoid's inner products", "正弦编码的内积"},
      .question = {"Do they depend on distance alone and decay, and is 10000 special?",
                   "它们是否只依赖距离并衰减？10000 特别吗？"},
      .definition =
          {"g(m − n), the mean of cos((m − n)·θ) over the pairs of this table's width, and its integral, by "
           "base 10² … 10⁵ and θ = t^α; at the distances of this table. The table's own: centred inner "
           "products averaged by distance; a base, and free frequencies of no negative share, fitted to them.",
           "g(m − n)：在此表宽度的各对上 cos((m − n)·θ) 的平均，及其积分；底数 10² 至 10⁵ 与 θ = "
           "t^α；距离取此表范围。此表自身：中心化内积按距离平均，并以一个底数及非负的自由频率拟合。"},
      .source = {"document 004; Vaswani et al. 2017, section 3.5", "文档 004；Vaswani 等 2017 第 3.5 节"},
      .null = {"white noise, which knows no distance; one frequency for all pairs, which does not decay; a random walk",
               "白噪声（与距离无关）；各对同一频率（不衰减）；随机游走"},
      .control = {"the integral, which tends to zero; base 10³, the author's choice",
                  "趋于零的积分；作者所选的底数 10³"},
      .rules =
          {{.claim = "4.3",
            .observation = {"holds if the sinusoid's inner products are a function of distance (R² .999), fall by "
                            "tendency (Kendall's τ .5) and stay at .5 or below over the last tenth; fails if they are "
                            "no such function or do not fall; otherwise, or if white noise or one frequency passes, it "
                            "cannot be told",
                            "正弦编码的内积是距离的函数（R² .999）、总体下降（Kendall τ 达 .5）且最远十分之一不超过 .5 "
                            "则成立；不是距离的函数或不下降则不成立；其余情形，或白噪声、单一频率也通过时，无法判断"},
            .inference = {"that farther is always less alike follows if every step falls, as in the integral it is "
                          "derived from; otherwise it does not follow",
                          "若每一步都下降（如其所据的积分），则“越远越不相似”可推出；否则推不出"},
            .judge = judge_decay},
           {.claim = "4.4",
            .observation = {"five comparisons: other choices are above and below base 10⁴ at 8 and at 128; of the "
                            "integrals θ = t crosses zero and base 10⁴ does not; larger bases fall more slowly; powers "
                            "fall faster up to 8; and less from 64 to 128. Holds if all are met; fails if the first is "
                            "not, or fewer than three are; otherwise it cannot be told",
                            "五项比较：在 8 与 128 处有其他选择高于、也有低于底数 10⁴；积分中 θ = t 穿过零而 10⁴ "
                            "不穿过；底数越大降得越慢；幂函数在 8 以内降得更多；从 64 到 128 "
                            "降得更少。全部成立则成立；第一项不成立或不足三项则不成立；否则无法判断"},
            .inference =
                {"that another base or trained frequencies would serve as well was not tested: it needs models "
                 "trained with each",
                 "“换底数或训练频率同样好”未检验：需要各自训练的模型"},
            .judge = judge_choice}},
      .run = run_kernel,
      .answer = answer_kernel};
}

}  // namespace summand::lab
