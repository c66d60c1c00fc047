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

namespace oscillation {
namespace {

constexpr Eigen::Index kFirstComponent = 9;  // document 002 draws components 1 to 9, then 10 to 18
constexpr Eigen::Index kLastComponent = 18;
constexpr double kProcessLength = 12;
constexpr double kSinusoidBase = 100;
constexpr double kLooksLike = 0.7;
constexpr double kDoesNot = 0.4;
constexpr double kAsMuch = 0.9;  // of the table's own: the inference's nine tenths

constexpr size_t kDraws = 11;
constexpr size_t kDrawsQuick = 3;

constexpr NumberName kR2{"oscillation", "sinusoid_r2"};
constexpr NumberName kWalkR2{"oscillation", "random_walk_r2"};
constexpr NumberName kProcessR2{"oscillation", "gaussian_process_r2"};
constexpr NumberName kPhasesR2{"oscillation", "random_phases_r2"};

/// What the texts say of the constants.
Fills settings() {
  return {{"first", kFirstComponent}, {"last", kLastComponent}, {"length", kProcessLength},
          {"base", kSinusoidBase},    {"looks", kLooksLike},    {"does_not", kDoesNot}};
}

/// Of each of the first components how much one sinusoid explains.
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
          .of_control = wording("oscillation.sinusoid", settings())};
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
  const auto sines = position_parts(sinusoid({shape.rows, shape.columns - shape.columns % 2}, kSinusoidBase));
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
};

Numbers numbers_of(const std::vector<PartCurves>& parts, const Beside18& tables, const Range& range) {
  Numbers numbers;
  const auto of = [&](const Curves& r2) { return mean_of(r2, range.from, range.to); };
  const Words components = wording("oscillation.components", {{"from", range.from + 1}, {"to", range.to}});
  const Fills of_all{{"components", components}, {"part", ""}, {"length", kProcessLength}};
  const auto add = [&](const NumberName& name, const Curves& r2) {
    numbers.add(parts.front().r2.beside(Measured(name, of(r2), of_all), of));
  };
  add(kR2, parts.front().r2.own);
  add(kWalkR2, tables.walk);
  add(kProcessR2, tables.smooth);
  add(kPhasesR2, tables.phases);
  for (const auto& part : std::span(parts).subspan(1)) {
    const Fills of_part{{"components", components}, {"part", Words{", " + part.words.en, "，" + part.words.zh}}};
    numbers.add(part.r2.number(kR2, part.name, of, of_part));
  }
  return numbers;
}

/// "3 · 8.1 % · gap .12": how much of the variance, and the eigengap to the nearer neighbour beside its own share.
Words words_of_component(const PrincipalComponents& components, Eigen::Index c) {
  const auto& shares = components.shares;
  double gap = 1;
  if (c > 0) gap = std::min(gap, 1 - shares(c) / shares(c - 1));
  if (c + 1 < shares.size()) gap = std::min(gap, 1 - shares(c + 1) / shares(c));
  return wording("oscillation.figures.oscillation-curves.of_component",
                 {{"number", c + 1}, {"percent", 100 * shares(c)}, {"gap", gap}});
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
Figure curves_figure(const Table& table, const std::string& file, size_t first_row) {
  using namespace chart;
  const auto text = [](const char* name) {
    return wording(std::string("oscillation.figures.oscillation-curves.") + name);
  };
  const Series score_series{text("score"), {.width = 1}};
  const Series sinusoid_series{text("sinusoid"), {.colour = "@orange", .width = 1}};
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
  const Json x = whole("position", text("position"));
  const auto line = [&](const char* field, const Series& series) {
    Json y = number(field, series.words);
    y["axis"] = {{"title", nullptr}, {"tickCount", 3}, {"minExtent", 36}};
    Json colour{{"datum", words(series.words)}, {"type", "nominal"}};
    colour["legend"] = {{"title", nullptr}};
    colour["scale"] = {{"domain", {words(score_series.words), words(sinusoid_series.words)}},
                       {"range", {score_series.look.colour, sinusoid_series.look.colour}}};
    return mark({{"type", "line"}, {"strokeWidth", series.look.width}}, {{"x", x}, {"y", y}, {"color", colour}});
  };
  Json specification = facets(name("component", text("component")), order,
                              layers({line("score", score_series), line("sinusoid", sinusoid_series)}),
                              {.least = 290, .most = 3, .axis = 80, .height = 90});
  specification["resolve"] = {{"scale", {{"y", "independent"}}}};
  return {
      .name = file,
      .title = wording("oscillation.figures." + file + ".title", settings()),
      .caption = text("caption"),
      .specification = std::move(specification),
      .data = FigureData{{{"component", component}, {"position", position}, {"score", score}, {"sinusoid", sinusoid}}}};
}

Figure r2_figure(const std::vector<double>& own, const Beside18& tables) {
  using namespace chart;
  const auto text = [](const char* name) { return wording(std::string("oscillation.figures.oscillation-r2.") + name); };
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
  add(tables.phases, {text("phases"), {.colour = "@sky", .dash = {2, 2}, .shape = "triangle-right"}});
  add(tables.white, series_of(Surrogate::white_noise));
  return {.name = "oscillation-r2",
          .title = text("title"),
          .caption = text("caption"),
          .specification = mark({{"type", "line"}, {"point", true}},
                                of_lines({{"x", whole("component", text("component"))},
                                          {"y", scaled(number("r2", text("r2")), {{"domain", {0, 1}}})}},
                                         "of", text("of"), series)),
          .data = FigureData{{{"component", component}, {"r2", r2}, {"of", of}}}};
}

Figure amplitude_figure(const Table& table) {
  const auto text = [](const char* name) {
    return wording(std::string("oscillation.figures.oscillation-spectrum.") + name);
  };
  const auto components = principal_components(table, kLastComponent);
  MatrixData matrix{.rows = static_cast<size_t>(components.scores.cols()),
                    .columns = static_cast<size_t>(table.rows() / 2),
                    .values = {},
                    .row_label = text("component"),
                    .column_label = text("cycles"),
                    .value_label = text("amplitude"),
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
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

Figure heat_figure(const Table& table) {
  const auto text = [](const char* name) {
    return wording(std::string("oscillation.figures.oscillation-heat-map.") + name);
  };
  const auto components = principal_components(table, kLastComponent);
  MatrixData matrix{.rows = static_cast<size_t>(components.scores.cols()),
                    .columns = static_cast<size_t>(table.rows()),
                    .values = {},
                    .row_label = text("component"),
                    .column_label = text("position"),
                    .value_label = text("score"),
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
          .title = text("title"),
          .caption = text("caption"),
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
  const size_t draws = conditions.quick ? kDrawsQuick : kDraws;
  if (conditions.quick) {
    findings.left_out.push_back(wording("oscillation.left_out", {{"few", kDrawsQuick}, {"many", kDraws}}));
  }
  const auto parts = compared_parts(table, draws, conditions);
  const Curves& own = parts.front().r2.own;
  const Beside18 tables = beside(table, parts.front().r2, conditions);
  findings.numbers["E6"] = numbers_of(parts, tables, {.from = 0, .to = kFirstComponent});
  findings.numbers["E7"] = numbers_of(parts, tables, {.from = kFirstComponent, .to = kLastComponent});
  findings.figures = {curves_figure(table, "oscillation-curves", 0),
                      curves_figure(others, "oscillation-curves-without-row-0", 1), r2_figure(own, tables),
                      amplitude_figure(table), heat_figure(table)};
  conditions.progress(1);
  return findings;
}

Verdict judge_oscillation(const Numbers& numbers) {
  const double own = numbers.value(kR2);
  const double walk = numbers.value(kWalkR2);
  const double smooth = numbers.value(kProcessR2);
  Verdict verdict;
  if (numbers.null(kR2) >= kDoesNot || numbers.control(kR2) < kLooksLike) {
    verdict.observation = Observation::cannot_be_told;
  } else if (own >= kLooksLike) {
    verdict.observation = Observation::holds;
  } else if (own < kDoesNot) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  verdict.inference = std::max(walk, smooth) >= kAsMuch * own ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = wording("oscillation.reason", {{"own", own}, {"walk", walk}, {"smooth", smooth}});
  return verdict;
}

Words answer_oscillation(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E6")) return findings.gaps.at("E6");
  const Numbers& first = findings.numbers.at("E6");
  const bool evidence = verdicts.at("E6").inference != Inference::does_not_follow;
  return wording(evidence ? "oscillation.answer_evidence" : "oscillation.answer_no_evidence",
                 {{"first", kFirstComponent},
                  {"own_percent", 100 * first.value(kR2)},
                  {"walk_percent", 100 * first.value(kWalkR2)}});
}

/// Both claims have the same rule, of other components.
Rule rule_of(const char* claim) {
  Rule rule = described_rule("oscillation", "either", judge_oscillation, settings());
  rule.claim = claim;
  return rule;
}

}  // namespace
}  // namespace oscillation

Experiment oscillation_experiment() {
  using namespace oscillation;
  Experiment experiment = described_experiment("oscillation", settings());
  experiment.effort = 11;
  experiment.rules = {rule_of("E6"), rule_of("E7")};
  experiment.run = run_oscillation;
  experiment.answer = answer_oscillation;
  return experiment;
}

}  // namespace summand::lab
