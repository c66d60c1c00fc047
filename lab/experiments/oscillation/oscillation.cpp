// E6, E7: do the component curves look like sinusoids, and is that evidence of relative position?
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/compared.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/spectrum.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr Eigen::Index kFirstComponent = 9;  // document 002 draws components 1 to 9, then 10 to 18
constexpr Eigen::Index kLastComponent = 18;
constexpr double kProcessLength = 12;
constexpr double kLooksLike = 0.7;
constexpr double kDoesNot = 0.4;

const chart::Series kScore{{"score", "得分"}, {.width = 1}};
const chart::Series kSinusoid{{"one sinusoid", "单个正弦"}, {.colour = "@orange", .width = 1}};

/// Of each of the first 18 components how much one sinusoid explains.
std::vector<double> sinusoid_r2(const Table& table) {
  const auto components = principal_components(table, kLastComponent);
  std::vector<double> r2;
  for (Eigen::Index c = 0; c < components.scores.cols(); ++c) {
    const Vector curve = components.scores.col(c);
    r2.push_back(best_sinusoid({curve.data(), static_cast<size_t>(curve.size())}).r2);
  }
  return r2;
}

double mean_of(const std::vector<double>& r2, Eigen::Index from, Eigen::Index to) {
  const auto first = std::min(static_cast<size_t>(from), r2.size());
  const auto end = std::min(static_cast<size_t>(to), r2.size());
  return end > first ? mean(std::span(r2).subspan(first, end - first)) : 0;
}

/// Of white noise, of smooth tables that know no order of words, and of pure sinusoids.
struct Beside18 {
  std::vector<double> white;
  std::vector<double> walk;
  std::vector<double> smooth;
  std::vector<double> phases;
  std::vector<double> sine;
};

/// The median over draws, component by component.
std::vector<double> median_r2(const std::vector<std::vector<double>>& draws) {
  std::vector<double> middle;
  for (size_t c = 0; c < draws.front().size(); ++c) {
    std::vector<double> values;
    for (const auto& one : draws) {
      if (c < one.size()) values.push_back(one[c]);
    }
    middle.push_back(median(values));
  }
  return middle;
}

using Curves = std::vector<double>;  ///< R² of each component

/// @param draw  from a stream to a table
template <class Draw>
std::vector<Curves> drawn_r2(const std::string& name, size_t draws, const Conditions& conditions, const Draw& draw) {
  std::vector<Curves> r2(draws);
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("oscillation: {} {}", name, i));
    r2[i] = sinusoid_r2(draw(stream));
  });
  return r2;
}

Shape shape_of(const Table& table) {
  return {.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
}

/// The part, as many rows of white noise, and the same rows of a sinusoidal table.
Compared<Curves> compared(const PositionPart& part, const Table& sine, size_t draws, const Conditions& conditions) {
  const std::string name = part.name == "all" ? "white noise" : "white noise " + part.name;
  return {.own = sinusoid_r2(part.rows),
          .nulls =
              drawn_r2(name, draws, conditions, [&](auto& stream) { return white_noise(shape_of(part.rows), stream); }),
          .control = sinusoid_r2(sine),
          .of_null = words_of_median(Surrogate::white_noise, draws),
          .of_control = {"sinusoid of base 100", "底数 100 的正弦编码"}};
}

struct PartCurves {
  std::string name;
  Words words;
  Compared<Curves> r2;
};

/// The whole table first, then its parts.
std::vector<PartCurves> compared_parts(const Table& table, size_t draws, const Conditions& conditions) {
  const Shape shape = shape_of(table);
  const auto parts = position_parts(table);
  const auto sines = position_parts(sinusoid({shape.rows, shape.columns - shape.columns % 2}, 100));
  std::vector<PartCurves> all;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].name != "all" && lacking(parts[i].rows, kLeastPart, 1)) continue;
    all.push_back({parts[i].name, parts[i].words, compared(parts[i], sines[i].rows, draws, conditions)});
    conditions.progress(0.5 * static_cast<double>(i + 1) / static_cast<double>(parts.size()));
  }
  return all;
}

Beside18 beside(const Table& table, const Compared<Curves>& whole, const Conditions& conditions) {
  const Shape shape = shape_of(table);
  const size_t draws = whole.nulls.size();
  const auto middle = [&](const char* name, const auto& draw) {
    return median_r2(drawn_r2(name, draws, conditions, draw));
  };
  Beside18 tables;
  tables.white = median_r2(whole.nulls);
  tables.walk = middle("random walk", [&](auto& stream) { return random_walk(shape, stream); });
  conditions.progress(0.7);
  tables.smooth =
      middle("Gaussian process", [&](auto& stream) { return gaussian_process(shape, kProcessLength, stream); });
  conditions.progress(0.8);
  tables.phases = middle("phases", [&](auto& stream) { return phase_randomised(table, Phases::independent, stream); });
  tables.sine = whole.control;
  return tables;
}

/// Which components a claim is about.
struct Range {
  Eigen::Index from = 0;
  Eigen::Index to = 0;
  Words words;
};

Numbers numbers_of(const std::vector<PartCurves>& parts, const Beside18& tables, const Range& range) {
  Numbers numbers;
  const auto of = [&](const Curves& r2) { return mean_of(r2, range.from, range.to); };
  const auto label = [&](const Words& what) {
    return Words{what.en + ", " + range.words.en, what.zh + "，" + range.words.zh};
  };
  const auto add = [&](const char* name, const Words& what, const Curves& r2) {
    numbers.add(parts.front().r2.beside(Measured(name, label(what), of(r2)), of));
  };
  add("sinusoid_r2", {"R² of one sinusoid", "单个正弦的 R²"}, parts.front().r2.own);
  add("random_walk_r2", {"the same of a random walk", "随机游走的同一数值"}, tables.walk);
  add("gaussian_process_r2", {"the same of a Gaussian process of length 12", "长度 12 高斯过程的同一数值"},
      tables.smooth);
  add("random_phases_r2", {"the same of the table with random phases", "随机相位后的同一数值"}, tables.phases);
  const Words what = label({"R² of one sinusoid", "单个正弦的 R²"});
  for (const auto& part : std::span(parts).subspan(1)) {
    numbers.add(part.r2.number("sinusoid_r2_" + part.name,
                               {what.en + ", " + part.words.en, what.zh + "，" + part.words.zh}, of));
  }
  return numbers;
}

/// "3 · 8.1 % · gap .12": how much of the variance, and the eigengap to the nearer neighbour beside its own share.
Words words_of_component(const PrincipalComponents& components, Eigen::Index c) {
  const auto& shares = components.shares;
  double gap = 1;
  if (c > 0) gap = std::min(gap, 1 - shares(c) / shares(c - 1));
  if (c + 1 < shares.size()) gap = std::min(gap, 1 - shares(c + 1) / shares(c));
  return {fmt::format("{} · {:.2g} % · gap {:.2f}", c + 1, 100 * shares(c), gap),
          fmt::format("{} · {:.2g}% · 间隔 {:.2f}", c + 1, 100 * shares(c), gap)};
}

/// The least-squares sinusoid of this frequency, row by row.
Vector sinusoid_through(const Vector& curve, double cycles_per_row) {
  Eigen::MatrixXd waves(curve.size(), 3);
  for (Eigen::Index i = 0; i < curve.size(); ++i) {
    const double angle = 2 * std::numbers::pi * cycles_per_row * static_cast<double>(i);
    waves.row(i) << 1, std::cos(angle), std::sin(angle);
  }
  return waves * waves.colPivHouseholderQr().solve(curve);
}

/// The first components against the position, a small chart each, and the sinusoid that comes nearest.
Figure curves_figure(const Table& table, const std::string& file, const Words& title, size_t first_row) {
  using namespace chart;
  const auto components = principal_components(table, kLastComponent + 1);
  std::vector<double> position;
  std::vector<double> score;
  std::vector<double> sinusoid;
  std::vector<Words> component;
  std::vector<Words> order;
  for (Eigen::Index c = 0; c < std::min(kLastComponent, components.scores.cols()); ++c) {
    order.push_back(words_of_component(components, c));
    const Vector curve = components.scores.col(c);
    const Vector fit =
        sinusoid_through(curve, best_sinusoid({curve.data(), static_cast<size_t>(curve.size())}).cycles_per_row);
    for (Eigen::Index i = 0; i < curve.size(); ++i) {
      position.push_back(static_cast<double>(first_row) + static_cast<double>(i));
      score.push_back(curve(i));
      sinusoid.push_back(fit(i));
      component.push_back(order.back());
    }
  }
  const Json x = whole("position", {"position", "位置"});
  const auto line = [&](const char* field, const Series& series) {
    Json y = number(field, series.words);
    y["axis"] = {{"title", nullptr}, {"tickCount", 3}, {"minExtent", 36}};
    Json colour{{"datum", words(series.words)}, {"type", "nominal"}};
    colour["legend"] = {{"title", nullptr}};
    colour["scale"] = {{"domain", {words(kScore.words), words(kSinusoid.words)}},
                       {"range", {kScore.look.colour, kSinusoid.look.colour}}};
    return mark({{"type", "line"}, {"strokeWidth", series.look.width}}, {{"x", x}, {"y", y}, {"color", colour}});
  };
  Json specification = facets(name("component", {"component", "主成分"}), order,
                              layers({line("score", kScore), line("sinusoid", kSinusoid)}),
                              {.least = 290, .most = 3, .axis = 80, .height = 90});
  specification["resolve"] = {{"scale", {{"y", "independent"}}}};
  return {
      .name = file,
      .title = title,
      .caption =
          {"Each component's score, position by position, and the one sinusoid that fits it best. Above: its "
           "number, its share of the variance, and its eigengap beside that share; where the gap is small, "
           "a component and its neighbour may turn into each other.",
           "各主成分得分随位置的变化，以及拟合最好的单个正弦。上方：序号、方差占比、与占比相比的特征间隔；间隔很小时，"
           "相邻成分可以互相旋转。"},
      .specification = std::move(specification),
      .data = FigureData{{{"component", component}, {"position", position}, {"score", score}, {"sinusoid", sinusoid}}}};
}

Figure r2_figure(const std::vector<double>& own, const Beside18& tables) {
  using namespace chart;
  std::vector<double> component;
  std::vector<double> r2;
  std::vector<Words> of;
  std::vector<Series> series;
  const auto add = [&](const std::vector<double>& values, const Series& one) {
    series.push_back(one);
    for (size_t i = 0; i < values.size(); ++i) {
      component.push_back(static_cast<double>(i + 1));
      r2.push_back(values[i]);
      of.push_back(one.words);
    }
  };
  add(own, series_of_table());
  add(tables.sine, series_of_sinusoid());
  add(tables.walk, series_of(Surrogate::random_walk));
  add(tables.smooth, series_of(Surrogate::gaussian_process));
  add(tables.phases,
      {{"table, random phases", "此表，随机相位"}, {.colour = "@sky", .dash = {2, 2}, .shape = "triangle-right"}});
  add(tables.white, series_of(Surrogate::white_noise));
  return {
      .name = "oscillation-r2",
      .title = {"How much one sinusoid explains of each component", "单个正弦对各主成分的解释"},
      .caption = {"The components of a random walk are sinusoids to begin with: smoothness alone makes them. Lines of "
                  "drawn tables are medians.",
                  "随机游走的主成分本来就是正弦：只要平滑就会出现。抽样所得各线为中位数。"},
      .specification =
          mark({{"type", "line"}, {"point", true}},
               of_lines({{"x", whole("component", {"component", "主成分"})},
                         {"y", scaled(number("r2", {"R² of one sinusoid", "单个正弦的 R²"}), {{"domain", {0, 1}}})}},
                        "of", {"table", "表"}, series)),
      .data = FigureData{{{"component", component}, {"r2", r2}, {"of", of}}}};
}

Figure amplitude_figure(const Table& table) {
  const auto components = principal_components(table, kLastComponent);
  MatrixData matrix{.rows = static_cast<size_t>(components.scores.cols()),
                    .columns = static_cast<size_t>(table.rows() / 2),
                    .values = {},
                    .row_label = {"component (from 0)", "主成分（从 0 起）"},
                    .column_label = {"cycles over all positions", "全部位置上的周期数"},
                    .value_label = {"amplitude, of the largest", "相对最大振幅"},
                    .low = 0,
                    .high = 1,
                    .scale = MatrixData::Scale::sequential};
  for (Eigen::Index c = 0; c < components.scores.cols(); ++c) {
    const Vector curve = components.scores.col(c);
    Vector amplitudes = amplitude_spectrum({curve.data(), static_cast<size_t>(curve.size())});
    amplitudes(0) = 0;
    amplitudes /= amplitudes.maxCoeff();
    for (size_t k = 0; k < matrix.columns; ++k) {
      matrix.values.push_back(static_cast<float>(amplitudes(static_cast<Eigen::Index>(k))));
    }
  }
  return {.name = "oscillation-spectrum",
          .title = {"Fourier spectrum of each component", "各主成分的傅里叶谱"},
          .caption = {"Amplitude by number of cycles, each component divided by its largest.",
                      "按周期数的振幅，每个成分除以其最大值。"},
          .specification = {},
          .data = std::move(matrix)};
}

Figure heat_figure(const Table& table) {
  const auto components = principal_components(table, kLastComponent);
  MatrixData matrix{.rows = static_cast<size_t>(components.scores.cols()),
                    .columns = static_cast<size_t>(table.rows()),
                    .values = {},
                    .row_label = {"component (from 0)", "主成分（从 0 起）"},
                    .column_label = {"position", "位置"},
                    .value_label = {"score, in standard deviations", "得分（标准差为单位）"},
                    .low = -2.5,
                    .high = 2.5,
                    .scale = MatrixData::Scale::diverging};
  for (Eigen::Index c = 0; c < components.scores.cols(); ++c) {
    const double scale = std::sqrt(components.variances(c));
    for (Eigen::Index i = 0; i < table.rows(); ++i) {
      matrix.values.push_back(static_cast<float>(components.scores(i, c) / scale));
    }
  }
  return {.name = "oscillation-heat-map",
          .title = {"Component heat map", "主成分热图"},
          .caption = {"Rows are components, columns positions, as document 002 drew it.",
                      "行为主成分，列为位置，与文档 002 的画法相同。"},
          .specification = {},
          .data = std::move(matrix)};
}

Findings run_oscillation(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& table = subject.positions;
  const Table others = table.bottomRows(std::max<Eigen::Index>(table.rows() - 1, 0));
  if (const auto gap = lacking(others, 2 * kLeastPart - 1, kLastComponent)) {
    findings.gaps = {{"E6", *gap}, {"E7", *gap}};
    return findings;
  }
  const size_t draws = conditions.quick ? 3 : 11;
  if (conditions.quick)
    findings.left_out.push_back({"3 draws of each null instead of 11", "每种零假设 3 次抽样而非 11 次"});
  const auto parts = compared_parts(table, draws, conditions);
  const Curves& own = parts.front().r2.own;
  const Beside18 tables = beside(table, parts.front().r2, conditions);
  findings.numbers["E6"] =
      numbers_of(parts, tables, {.from = 0, .to = kFirstComponent, .words = {"components 1 to 9", "主成分 1–9"}});
  findings.numbers["E7"] = numbers_of(
      parts, tables, {.from = kFirstComponent, .to = kLastComponent, .words = {"components 10 to 18", "主成分 10–18"}});
  findings.figures = {curves_figure(table, "oscillation-curves", {"The first 18 components", "前 18 个主成分"}, 0),
                      curves_figure(others, "oscillation-curves-without-row-0",
                                    {"The first 18 components without [CLS]", "不含 [CLS] 的前 18 个主成分"}, 1),
                      r2_figure(own, tables), amplitude_figure(table), heat_figure(table)};
  conditions.progress(1);
  return findings;
}

Verdict judge_oscillation(const Numbers& numbers) {
  const double own = numbers.value("sinusoid_r2");
  const double walk = numbers.value("random_walk_r2");
  const double smooth = numbers.value("gaussian_process_r2");
  Verdict verdict;
  if (numbers.null("sinusoid_r2") >= kDoesNot || numbers.control("sinusoid_r2") < kLooksLike) {
    verdict.observation = Observation::cannot_be_told;
  } else if (own >= kLooksLike) {
    verdict.observation = Observation::holds;
  } else if (own < kDoesNot) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  verdict.inference = std::max(walk, smooth) >= 0.9 * own ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("one sinusoid explains {:.2f} of these components, and {:.2f} of a random walk's, {:.2f} "
                  "of a Gaussian process': what smooth paths have anyway is no evidence",
                  own, walk, smooth),
      fmt::format(
          "单个正弦解释这些主成分的 {:.2f}，随机游走为 {:.2f}，高斯过程为 {:.2f}：平滑轨迹本来就有的性质不是证据", own,
          walk, smooth)};
  return verdict;
}

Words answer_oscillation(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E6")) return findings.gaps.at("E6");
  const Numbers& first = findings.numbers.at("E6");
  const bool evidence = verdicts.at("E6").inference != Inference::does_not_follow;
  return {fmt::format("One sinusoid explains {:.0f} % of components 1 to 9; of a random walk's, {:.0f} %. {}",
                      100 * first.value("sinusoid_r2"), 100 * first.value("random_walk_r2"),
                      evidence ? "Here the table has more than smooth random paths."
                               : "Waves in principal components come with any smooth path and say nothing about "
                                 "relative position."),
          fmt::format("单个正弦解释主成分 1–9 的 {:.0f}%；随机游走为 {:.0f}%。{}", 100 * first.value("sinusoid_r2"),
                      100 * first.value("random_walk_r2"),
                      evidence ? "此表超过平滑随机轨迹。" : "主成分中的波形伴随任何平滑轨迹出现，与相对位置无关。")};
}

Rule rule_of(const char* claim) {
  return {
      .claim = claim,
      .observation = {"holds if one sinusoid explains .7 of these components on average; fails below .4; otherwise, "
                      "or if white noise reaches .4 or the sinusoid misses .7, it cannot be told",
                      "单个正弦平均解释这些主成分的 .7 则成立；低于 .4 则不成立；其余情形，或白噪声达到 .4、正弦达不到 "
                      ".7 时，无法判断"},
      .inference = {"that relative position was learned does not follow if random walks or Gaussian processes reach "
                    "nine tenths of it; otherwise not tested",
                    "若随机游走或高斯过程达到其十分之九，则“学到了相对位置”推不出；否则未检验"},
      .judge = judge_oscillation};
}

}  // namespace

Experiment oscillation_experiment() {
  return {
      .name = "oscillation",
      .effort = 11,
      .title = {"Waves in its components", "主成分中的波"},
      .question = {"Do the component curves look like sinusoids, and does that show relative position?",
                   "主成分曲线像正弦吗？这能说明相对位置吗？"},
      .definition = {"For each of the first 18 components, scored position by position, the least-squares sinusoid of "
                     "free frequency: its R². Beside it the same of random walks, Gaussian processes, the table with "
                     "random phases, white noise, and a sinusoidal table.",
                     "对前 18 个主成分逐位置的得分，用自由频率的最小二乘正弦拟合，取 "
                     "R²。并列：随机游走、高斯过程、随机相位的表、白噪声与正弦表。"},
      .source = {"document 002; phantom oscillations: Shinn 2023, 10.1073/pnas.2311420120 (abstract)",
                 "文档 002；虚假振荡：Shinn 2023，10.1073/pnas.2311420120（摘要）"},
      .null = {"white noise for the curves' look; random walks and Gaussian processes for what it proves",
               "曲线外观用白噪声；其证明力用随机游走与高斯过程"},
      .control = {"a sinusoidal table", "正弦表"},
      .rules = {rule_of("E6"), rule_of("E7")},
      .run = run_oscillation,
      .answer = answer_oscillation};
}

}  // namespace summand::lab
