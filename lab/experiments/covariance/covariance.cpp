// 4.6: are the diagonals of the embeddings' covariances larger than the rest, and would that say anything of H?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/found.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/covariance/hessian_diagonal.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace covariance {
namespace {

constexpr double kClearly = 2;  // mean diagonal entry, in mean other entries: twice, as the rule has it
constexpr double kNotLarger = 1.2;
constexpr double kMostOfEnergy = 0.5;  // half, as the rule has it
constexpr Eigen::Index kQuickRows = 4000;
constexpr size_t kLeastCovarianceRows = 8;
constexpr size_t kLeastDirections = 2;
constexpr Eigen::Index kLeastColumns = 3;

// Of every table, whose name stands in front.
constexpr NumberName kRatio{"covariance", "ratio"};
constexpr NumberName kOffNorm{"covariance", "off_norm"};
constexpr NumberName kRotated{"covariance", "ratio_rotated"};
constexpr NumberName kWithoutOutlying{"covariance", "ratio_without_outlying_rows"};

std::string of_table(const std::string& table, const NumberName& number) {
  return fmt::format("{}_{}", table, number.name);
}

/// What the texts say of the constants.
Fills settings() {
  return {{"not_larger", kNotLarger}};
}

DiagonalDominance dominance_of(const Table& table) {
  const Table around = centred(table);
  const Table covariance = around.transpose() * around / static_cast<double>(table.rows());
  return diagonal_dominance(covariance);
}

/// All columns follow one common course, with a tenth of their own.
Table one_factor(Shape shape, RandomStream& stream) {
  const Table factor = white_noise({shape.rows, 1}, stream);
  Table table = 0.1 * white_noise(shape, stream);
  table.colwise() += factor.col(0);
  return table;
}

/// A table of the checkpoint, or rows of it.
struct Looked {
  std::string name;
  Words words;
  Table rows;
};

/// Whether a covariance has off-diagonal entries to be compared: one constant column among two has not.
bool can_be_told(const Table& table) {
  return !lacking(table, kLeastCovarianceRows, kLeastDirections) && table.cols() >= kLeastColumns;
}

Figure bars(const std::vector<std::pair<Words, DiagonalDominance>>& tables) {
  using namespace chart;
  std::vector<Words> of;
  std::vector<double> ratio;
  std::vector<double> off;
  for (const auto& [name, dominance] : tables) {
    of.push_back(name);
    ratio.push_back(dominance.ratio);
    off.push_back(dominance.off_norm);
  }
  const auto text = [](const char* of_what) {
    return wording(std::string("covariance.figures.covariance-dominance.") + of_what);
  };
  const auto bar = [&](const char* field) {
    return mark({{"type", "bar"}}, {{"y", listed("of", text("of"))}, {"x", number(field, text(field), ".2f")}});
  };
  return {.name = "covariance-dominance",
          .title = text("title"),
          .caption = text("caption"),
          .specification = side_by_side({bar("ratio"), bar("off")},
                                        {.least = 300, .most = 2, .axis = 38, .height = height_of(tables.size())}),
          .data = FigureData{{{"of", of}, {"ratio", ratio}, {"off", off}}}};
}

Findings run_covariance(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  std::vector<Looked> tables{{"position", wording("covariance.tables.position"), subject.positions}};
  if (subject.tokens.rows() > 0) {
    const auto rows = conditions.quick ? std::min(kQuickRows, subject.tokens.rows()) : subject.tokens.rows();
    if (rows < subject.tokens.rows()) {
      findings.left_out.push_back(
          wording("covariance.left_out.tokens", {{"rows", rows}, {"all", subject.tokens.rows()}}));
    }
    tables.push_back({"token", wording("covariance.tables.token"), subject.tokens.topRows(rows)});
  }
  if (std::ranges::any_of(tables, [](const Looked& one) { return !can_be_told(one.rows); })) {
    findings.gaps["4.6"] =
        wording("covariance.gap",
                {{"rows", kLeastCovarianceRows}, {"directions", kLeastDirections}, {"columns", kLeastColumns}});
    return findings;
  }
  Numbers& numbers = findings.numbers["4.6"];
  std::vector<std::pair<Words, DiagonalDominance>> shown;
  for (size_t i = 0; i < tables.size(); ++i) {
    const auto& one = tables[i];
    const Shape shape{.rows = static_cast<size_t>(one.rows.rows()), .columns = static_cast<size_t>(one.rows.cols())};
    RandomStream noise_stream(conditions.seed, "covariance: white noise " + one.name);
    RandomStream factor_stream(conditions.seed, "covariance: one factor " + one.name);
    RandomStream turn_stream(conditions.seed, "covariance: rotation " + one.name);
    const auto own = dominance_of(one.rows);
    const auto noise = dominance_of(white_noise(shape, noise_stream));
    const auto factor = dominance_of(one_factor(shape, factor_stream));
    const auto turned = dominance_of(rotated(one.rows, turn_stream));
    const Words of_null = wording("covariance.beside.one_course");
    const Words of_control = wording("covariance.beside.noise");
    const auto add = [&](const NumberName& name, double DiagonalDominance::*of, double value, const Words& rows = {}) {
      numbers.add(Measured(of_table(one.name, name), name.label({{"table", one.words}, {"rows", rows}}), value)
                      .null(factor.*of, of_null)
                      .control(noise.*of, of_control));
    };
    add(kRatio, &DiagonalDominance::ratio, own.ratio);
    add(kOffNorm, &DiagonalDominance::off_norm, own.off_norm);
    add(kRotated, &DiagonalDominance::ratio, turned.ratio);
    const auto outlying = one.name == "position" ? outlying_rows(one.rows) : std::vector<size_t>{};
    if (!outlying.empty()) {
      const auto others = dominance_of(without_rows(one.rows, outlying));
      add(kWithoutOutlying, &DiagonalDominance::ratio, others.ratio, list_of(outlying));
      shown.emplace_back(wording("covariance.tables.without_outlying_rows"), others);
    }
    shown.emplace_back(one.words, own);
    shown.emplace_back(wording("covariance.tables.noise", {{"table", one.words}}), noise);
    conditions.progress(0.2 * static_cast<double>(i + 1) / static_cast<double>(tables.size()));
  }
  findings.figures = {bars(shown)};
  measure_hessian_diagonal(subject, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// This number of every table there is.
std::vector<Number> of_tables(const Numbers& numbers, const NumberName& number) {
  std::vector<Number> found;
  for (const auto& one : numbers.all()) {
    if (one.name.ends_with(of_table("", number))) found.push_back(one);
  }
  return found;
}

Verdict judge_covariance(const Numbers& numbers) {
  const auto ratios = of_tables(numbers, kRatio);
  const auto off = of_tables(numbers, kOffNorm);
  const auto all = [&](const auto& holds) { return std::ranges::all_of(ratios, holds); };
  const auto any = [&](const auto& holds) { return std::ranges::any_of(ratios, holds); };
  const bool noise_passes = all([](const Number& one) { return one.control->value >= kClearly; });
  Verdict verdict;
  if (any([](const Number& one) { return one.null->value >= kClearly; })) {
    verdict.observation = Observation::cannot_be_told;
  } else if (all([](const Number& one) { return one.value >= kClearly; })) {
    verdict.observation = Observation::holds;
  } else if (any([](const Number& one) { return one.value < kNotLarger; })) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const Number* of_h = found(numbers, kHessianShare);
  if (noise_passes) {
    verdict.inference = Inference::does_not_follow;
  } else if (of_h != nullptr) {
    verdict.inference = of_h->value >= kMostOfEnergy ? Inference::follows : Inference::does_not_follow;
  }
  const auto& own = ratios.front();
  Words and_tokens;
  if (ratios.size() > 1) {
    and_tokens =
        wording("covariance.reason_of_tokens", {{"ratio", ratios[1].value}, {"noise", ratios[1].control->value}});
  }
  Words and_h;
  if (of_h != nullptr) {
    and_h = wording("covariance.reason_of_h", {{"share", of_h->value}, {"turned", of_h->null->value}});
  }
  verdict.reason = wording("covariance.reason", {{"ratio", own.value},
                                                 {"noise", own.control->value},
                                                 {"off", off.front().value},
                                                 {"off_noise", off.front().control->value},
                                                 {"of_tokens", and_tokens},
                                                 {"of_h", and_h}});
  return verdict;
}

Words answer_covariance(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.6")) return findings.gaps.at("4.6");
  const Numbers& numbers = findings.numbers.at("4.6");
  const Number* of_h = found(numbers, kHessianShare);
  Words then = wording("covariance.answer_without_h");
  if (of_h != nullptr) {
    then = wording("covariance.answer_of_h", {{"share", 100 * of_h->value}, {"turned", 100 * of_h->null->value}});
  }
  const std::string ratio = of_table("position", kRatio);
  return wording("covariance.answer",
                 {{"ratio", numbers.value(ratio)}, {"noise", numbers.control(ratio)}, {"of_h", then}});
}

}  // namespace
}  // namespace covariance

Experiment covariance_experiment() {
  using namespace covariance;
  Experiment experiment = described_experiment("covariance", settings());
  experiment.effort = 25;
  experiment.rules = {described_rule("covariance", "4.6", judge_covariance, settings())};
  experiment.run = run_covariance;
  experiment.answer = answer_covariance;
  return experiment;
}

}  // namespace summand::lab
