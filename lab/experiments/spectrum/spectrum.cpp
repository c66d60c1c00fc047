// E3: how many principal components does the position table have, and what does their number show?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/compared.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace spectrum {
namespace {

constexpr double kShare = 0.01;
constexpr double kLength = 12;             // of the Gaussian process, in positions
constexpr Eigen::Index kPlantedRank = 18;  // what document 002 counts
constexpr double kPlantedNoise = 0.05;
constexpr size_t kBlock = 16;  // rows drawn together by the bootstrap: neighbours resemble each other
constexpr Eigen::Index kShown = 40;
constexpr size_t kFewest = 6;
constexpr size_t kMost = 36;     // half and twice the document's 18, and a bit
constexpr double kHeld = 0.8;    // by the first 18: most of the variance
constexpr double kLittle = 0.5;  // less than this is not

constexpr NumberName kCount{"spectrum", "components_above_1_percent"};
constexpr NumberName kRank{"spectrum", "effective_rank"};
constexpr NumberName kFirst{"spectrum", "first_component"};
constexpr NumberName kLeading{"spectrum", "first_18_components"};
constexpr NumberName kSmoothCount{"spectrum", "smooth_components_above_1_percent"};
constexpr NumberName kSmoothLeading{"spectrum", "smooth_first_18_components"};

/// How much is drawn.
struct Size {
  size_t draws = 20;
  size_t resamplings = 200;
};
constexpr Size kFull{};
constexpr Size kQuick{.draws = 3, .resamplings = 20};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
Fills settings() {
  return {{"percent", 100 * kShare}, {"short", kShortSequence}, {"block", kBlock},
          {"length", kLength},       {"rank", kPlantedRank},    {"fewest", kFewest},
          {"most", kMost},           {"held", kHeld},           {"little", kLittle}};
}

double above(const Vector& shares) {
  return static_cast<double>(components_above(shares, kShare));
}

double leading(const Vector& shares) {
  return shares.head(std::min<Eigen::Index>(kPlantedRank, shares.size())).sum();
}

/// Smooth, of this rank but for a little noise, all components of like size.
Table planted(Shape shape, RandomStream& stream) {
  const Shape thin{.rows = shape.rows, .columns = static_cast<size_t>(kPlantedRank)};
  const Table scores = white_noise(thin, stream);
  const Table directions = white_noise({thin.columns, shape.columns}, stream);
  return scores * directions / std::sqrt(static_cast<double>(kPlantedRank)) +
         kPlantedNoise * white_noise(shape, stream);
}

struct DrawnShares {
  std::vector<Vector> shares;

  [[nodiscard]] double middle(const std::function<double(const Vector&)>& of) const {
    std::vector<double> values;
    for (const auto& one : shares) values.push_back(of(one));
    return median(values);
  }
};

DrawnShares shares_of(const Conditions& conditions, const std::string& name, size_t draws,
                      const std::function<Table(RandomStream&)>& draw) {
  DrawnShares drawn{.shares = std::vector<Vector>(draws)};
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("spectrum: {} {}", name, i));
    drawn.shares[i] = variance_shares(draw(stream));
  });
  return drawn;
}

/// The part's shares of variance, and those of as many rows of white noise and of the planted table.
Compared<Vector> compared(const PositionPart& part, size_t draws, const Conditions& conditions) {
  const Shape shape{.rows = static_cast<size_t>(part.rows.rows()), .columns = static_cast<size_t>(part.rows.cols())};
  const std::string of_part = part.name == "all" ? "" : " " + part.name;
  RandomStream stream(conditions.seed, "spectrum: planted" + of_part);
  return {.own = variance_shares(part.rows),
          .nulls = shares_of(conditions, "white noise" + of_part, draws,
                             [&](auto& draw) { return white_noise(shape, draw); })
                       .shares,
          .control = variance_shares(planted(shape, stream)),
          .of_null = words_of_median(Surrogate::white_noise, draws),
          .of_control = wording("spectrum.planted", settings())};
}

Interval interval_of_number(const Table& table, const Conditions& conditions) {
  const Draws draws{.seed = conditions.seed,
                    .name = "spectrum: bootstrap",
                    .count = size_of(conditions).resamplings,
                    .threads = conditions.threads};
  const auto statistic = [&](std::span<const size_t> rows) {
    Table resampled(static_cast<Eigen::Index>(rows.size()), table.cols());
    for (size_t i = 0; i < rows.size(); ++i) {
      resampled.row(static_cast<Eigen::Index>(i)) = table.row(static_cast<Eigen::Index>(rows[i]));
    }
    // A draw may leave out the only rows that differ.
    if ((resampled.rowwise() - resampled.row(0).eval()).isZero(0)) return 0.0;
    return above(variance_shares(resampled));
  };
  return block_bootstrap(static_cast<size_t>(table.rows()), kBlock, statistic, draws);
}

/// The share of one component in every draw.
std::vector<double> shares_at(const DrawnShares& drawn, Eigen::Index component) {
  std::vector<double> values;
  for (const auto& one : drawn.shares) values.push_back(one(component));
  return values;
}

/// One line per table, component by component; of drawn tables the median, and a band of 95 % of the draws.
Figure scree(const Vector& table, const DrawnShares& white, const DrawnShares& smooth, const Vector& control) {
  using namespace chart;
  std::vector<double> component;
  std::vector<double> share;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<Words> which;
  std::vector<Series> series;
  const auto add = [&](Eigen::Index i, double value, const Interval& band) {
    component.push_back(static_cast<double>(i + 1));
    share.push_back(value);
    low.push_back(band.low);
    high.push_back(band.high);
    which.push_back(series.back().words);
  };
  const auto add_table = [&](const Vector& shares, const Series& one) {
    series.push_back(one);
    for (Eigen::Index i = 0; i < std::min(kShown, shares.size()); ++i) add(i, shares(i), {shares(i), shares(i)});
  };
  const auto add_drawn = [&](const DrawnShares& drawn, const Series& one) {
    series.push_back(one);
    for (Eigen::Index i = 0; i < std::min(kShown, drawn.shares.front().size()); ++i) {
      const auto values = shares_at(drawn, i);
      add(i, median(values), middle_95_percent(values));
    }
  };
  add_table(table, series_of_table());
  add_drawn(smooth, series_of(Surrogate::gaussian_process));
  add_drawn(white, series_of(Surrogate::white_noise));
  const auto text = [](const char* name) {
    return wording(std::string("spectrum.figures.spectrum-shares.") + name, settings());
  };
  add_table(control, {text("planted"), {.colour = "@sky", .dash = {8, 2}}});
  const Words of = text("of");
  const Json x = whole("component", text("component"));
  const Json y = logarithmic(number("share", text("share"), ".4f"), {1, 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001});
  Json bottom = y;
  bottom["field"] = "low";
  Json band =
      mark({{"type", "area"}, {"tooltip", nullptr}}, {{"x", x}, {"y", bottom}, {"color", coloured("of", of, series)}});
  band["encoding"]["y2"] = {{"field", "high"}};
  band["encoding"].erase("tooltip");
  return {
      .name = "spectrum-shares",
      .title = text("title"),
      .caption = text("caption"),
      .specification =
          layers({std::move(band), mark({{"type", "line"}}, of_lines({{"x", x}, {"y", y}}, "of", of, series)),
                  rule("y", kShare), rule_label("y", kShare, text("bar"))}),
      .data = FigureData{{{"component", component}, {"share", share}, {"low", low}, {"high", high}, {"of", which}}}};
}

void add_parts(Numbers& numbers, const Table& table, size_t draws, const Conditions& conditions) {
  for (const auto& part : position_parts(table)) {
    if (part.name == "all" || lacking(part.rows, 2, 1)) continue;
    const auto shares = compared(part, draws, conditions);
    const Fills of_part{{"percent", 100 * kShare}, {"part", Words{", " + part.words.en, "，" + part.words.zh}}};
    numbers.add(shares.number(kCount, part.name, above, of_part));
    numbers.add(shares.number(kRank, part.name, effective_rank, of_part));
  }
}

Findings run_spectrum(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& table = subject.positions;
  if (const auto gap = lacking(table, 2 * kLeastPart, 1)) {
    findings.gaps["E3"] = *gap;
    return findings;
  }
  const Shape shape{.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
  const size_t draws = size_of(conditions).draws;
  const auto shares = compared({.name = "all", .words = {}, .rows = table}, draws, conditions);
  conditions.progress(0.2);
  const auto smooth = shares_of(conditions, "Gaussian process", draws,
                                [&](auto& stream) { return gaussian_process(shape, kLength, stream); });
  conditions.progress(0.4);

  if (conditions.quick) {
    findings.left_out.push_back(wording("spectrum.left_out", {{"few", kQuick.draws},
                                                              {"many", kFull.draws},
                                                              {"few_resamplings", kQuick.resamplings},
                                                              {"many_resamplings", kFull.resamplings}}));
  }
  Numbers& numbers = findings.numbers["E3"];
  const Fills of_all{{"percent", 100 * kShare}, {"part", ""}};
  numbers.add(shares.number(kCount, above, of_all).interval(interval_of_number(table, conditions)));
  conditions.progress(0.7);
  numbers.add(shares.number(kRank, effective_rank, of_all));
  numbers.add(shares.number(kFirst, [](const Vector& one) { return one(0); }));
  numbers.add(shares.number(kLeading, leading));
  numbers.add(shares.beside(Measured(kSmoothCount, smooth.middle(above)), above));
  numbers.add(shares.beside(Measured(kSmoothLeading, smooth.middle(leading)), leading));
  add_parts(numbers, table, draws, conditions);
  const Words of_smooth = median_of_draws(wording("spectrum.smooth", settings()), draws);
  findings.remarks.push_back(wording("spectrum.published", {{"smooth", of_smooth}}));
  findings.figures.push_back(scree(shares.own, {shares.nulls}, smooth, shares.control));
  conditions.progress(1);
  return findings;
}

Fills measured(const Numbers& numbers) {
  return {{"count", numbers.value(kCount)},
          {"held", numbers.value(kLeading)},
          {"rank", numbers.value(kRank)},
          {"smooth_count", numbers.value(kSmoothCount)},
          {"smooth_held", numbers.value(kSmoothLeading)}};
}

Verdict judge_spectrum(const Numbers& numbers) {
  const double count = numbers.value(kCount);
  const double held = numbers.value(kLeading);
  const bool told_apart = numbers.null(kLeading) < kLittle && numbers.control(kLeading) >= kHeld;
  Verdict verdict;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (count >= kFewest && count <= kMost && held >= kHeld) {
    verdict.observation = Observation::holds;
  } else if (held < kLittle || count > kMost || count < kFewest) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const bool smoothness_suffices = numbers.value(kSmoothLeading) >= kHeld;
  verdict.inference = smoothness_suffices ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = wording("spectrum.reason", measured(numbers));
  return verdict;
}

Words answer_spectrum(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("E3")) return findings.gaps.at("E3");
  return wording("spectrum.answer", measured(findings.numbers.at("E3")));
}

}  // namespace
}  // namespace spectrum

Experiment spectrum_experiment() {
  using namespace spectrum;
  Experiment experiment = described_experiment("spectrum", settings());
  experiment.effort = 3;
  experiment.rules = {described_rule("spectrum", "E3", judge_spectrum, settings())};
  experiment.run = run_spectrum;
  experiment.answer = answer_spectrum;
  return experiment;
}

}  // namespace summand::lab
