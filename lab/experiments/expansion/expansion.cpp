// 4.2: expanded to second order in the position vectors, how much of the model is left, and which term holds what?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/expansion/taylor.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace expansion {
namespace {

using Eigen::Index;

constexpr double kHalf = 0.5;    // of the change: below it the derivation is a heuristic (the ledger, row 4.2)
constexpr double kExact = 0.95;  // what the expansion has to explain of small positions

constexpr NumberName kFirstOrder{"expansion", "explained_1"};
constexpr NumberName kSecondOrder{"expansion", "explained_2"};
constexpr NumberName kSecondOrderOthers{"expansion", "explained_2_others"};
constexpr NumberName kSizeFirst{"expansion", "size_first"};
constexpr NumberName kSizeSame{"expansion", "size_same"};
constexpr NumberName kSizePairs{"expansion", "size_pairs"};
constexpr NumberName kSizeRest{"expansion", "size_rest"};
constexpr NumberName kMixed{"expansion", "mixed_explained"};
constexpr NumberName kTermsToeplitz{"expansion", "terms_toeplitz"};
constexpr NumberName kLoss{"expansion", "loss_explained"};

/// How much is expanded.
struct Size {
  size_t texts = 5;
  size_t tokens = 10;
};
constexpr Size kFullRun{};
constexpr Size kQuickRun{.texts = 2, .tokens = 8};

/// What the texts say of the constants.
Fills settings() {
  return {{"directions", Interaction::kDirections},
          {"exact", kExact},
          {"large", kNullLength},
          {"small", 1 / kShownStrengths[kSmallest]}};
}

/// What is measured: at the model's own position rows, and with those that stand out, [CLS]'s above all, left in.
struct Measurements {
  ExpandedTexts all;
  ExpandedTexts others;
  MixedDifferences at_size;
  MixedDifferences small;
  bool has_loss = false;
};

/// The share of the pairs' terms off the diagonal that m − n alone explains, median over texts and functions.
double toeplitz_of(const std::vector<Table>& terms) {
  std::vector<double> shares;
  for (const auto& one : terms) shares.push_back(toeplitz_hankel((one + one.transpose()) / 2).toeplitz);
  return median(shares);
}

/// Entries off the diagonal in random order, still symmetric.
Table shuffled(const Table& table, RandomStream& stream) {
  std::vector<double> entries;
  for (Index m = 0; m < table.rows(); ++m) {
    for (Index n = m + 1; n < table.rows(); ++n) entries.push_back(table(m, n));
  }
  stream.shuffle(std::span(entries));
  Table result = table;
  for (Index m = 0, i = 0; m < table.rows(); ++m) {
    for (Index n = m + 1; n < table.rows(); ++n) {
      result(m, n) = result(n, m) = entries[static_cast<size_t>(i++)];
    }
  }
  return result;
}

void add_toeplitz(const ExpandedTexts& measured, const Conditions& conditions, Numbers& numbers) {
  RandomStream stream(conditions.seed, "expansion: shuffled terms");
  std::vector<Table> own;
  std::vector<Table> random;
  for (const auto& text : measured.texts) {
    for (size_t f = 0; f < Interaction::kDirections; ++f) {
      own.push_back((text.terms[f] + text.terms[f].transpose()) / 2);
      random.push_back(shuffled(own.back(), stream));
    }
  }
  Table distances(own.front().rows(), own.front().rows());
  for (Index m = 0; m < distances.rows(); ++m) {
    for (Index n = 0; n < distances.rows(); ++n)
      distances(m, n) = std::exp(-0.3 * std::abs(static_cast<double>(m - n)));
  }
  numbers.add(Measured(kTermsToeplitz, toeplitz_of(own))
                  .null(toeplitz_of(random), wording("expansion.beside.shuffled"))
                  .control(toeplitz_of({distances}), wording("expansion.beside.distance")));
}

void add_numbers(const Measurements& measurements, const Conditions& conditions, Numbers& numbers) {
  const auto& measured = measurements.all;
  const auto& others_alone = measurements.others;
  const Words of_null = wording("expansion.beside.large", settings());
  const auto& strengths = measured.strengths;
  const Words of_control = wording("expansion.beside.small", settings());
  for (const int order : {1, 2}) {
    const auto interval =
        bootstrap(measured.texts.size(),
                  [&](std::span<const size_t> chosen) { return measured.explained_at(kFull, order, chosen); },
                  {.seed = conditions.seed, .name = fmt::format("expansion: order {}", order), .count = 1000});
    numbers.add(Measured(order == 1 ? kFirstOrder : kSecondOrder, measured.explained_at(kFull, order))
                    .interval(interval)
                    .null(measured.explained_at(kNull, order), of_null)
                    .control(measured.explained_at(kSmallest, order), of_control));
  }
  numbers.add(Measured(kSecondOrderOthers, others_alone.explained_at(kFull, 2))
                  .null(others_alone.explained_at(kNull, 2), of_null)
                  .control(others_alone.explained_at(kSmallest, 2), of_control));
  const auto size = [&](const NumberName& name, const auto& of) {
    numbers.add(Measured(name, measured.relative_size(kFull, of))
                    .null(measured.relative_size(kNull, of), of_null)
                    .control(measured.relative_size(kSmallest, of), of_control));
  };
  size(kSizeFirst, [&](const Expanded& text, size_t at) -> Vector { return strengths[at] * text.first; });
  size(kSizeSame, [&](const Expanded& text, size_t at) -> Vector { return strengths[at] * strengths[at] * text.same; });
  size(kSizePairs,
       [&](const Expanded& text, size_t at) -> Vector { return strengths[at] * strengths[at] * text.pairs; });
  size(kSizeRest,
       [&](const Expanded& text, size_t at) -> Vector { return text.changes[at] - text.predicted(strengths[at], 2); });
  RandomStream stream(conditions.seed, "expansion: pairs");
  auto others = measurements.at_size.expected;
  stream.shuffle(std::span(others));
  numbers.add(Measured(kMixed, explained(measurements.at_size.exact, measurements.at_size.expected))
                  .null(explained(measurements.at_size.exact, others), wording("expansion.beside.other_pairs"))
                  .control(explained(measurements.small.exact, measurements.small.expected), of_control));
  add_toeplitz(measured, conditions, numbers);
  if (!measurements.has_loss) return;
  std::vector<double> exact[3];
  std::vector<double> expected[3];
  for (const auto& text : measured.texts) {
    for (size_t i = 0; const size_t strength : {kFull, kNull, kSmallest}) {
      exact[i].push_back(text.changes[strength](Interaction::kDirections));
      expected[i++].push_back(text.predicted(strengths[strength], 2)(Interaction::kDirections));
    }
  }
  numbers.add(Measured(kLoss, explained(exact[0], expected[0]))
                  .null(explained(exact[1], expected[1]), of_null)
                  .control(explained(exact[2], expected[2]), of_control));
}

Figure curve(const ExpandedTexts& measured, const ExpandedTexts& others_alone) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return wording(std::string("expansion.figures.expansion-explained.") + of_what);
  };
  const std::vector<Series> orders{{text("order_1"), {.colour = "@orange", .dash = {6, 3}}},
                                   {text("order_2"), {.colour = "@blue", .width = 2.5}},
                                   {text("order_2_others"), {.colour = "@green", .dash = {2, 2}}}};
  std::vector<double> strength;
  std::vector<double> share;
  std::vector<Words> order;
  for (size_t i = 0; i < kShownStrengths.size(); ++i) {
    const double shares[]{measured.explained_at(i, 1), measured.explained_at(i, 2), others_alone.explained_at(i, 2)};
    for (size_t one = 0; one < orders.size(); ++one) {
      strength.push_back(kShownStrengths[i]);
      share.push_back(std::max(-1.0, shares[one]));
      order.push_back(orders[one].words);
    }
  }
  const Json x = logarithmic(number("strength", text("strength")), {0.015625, 0.0625, 0.25, 1, 4});
  return {.name = "expansion-explained",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers(
              {mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", x}, {"y", number("share", text("share"), ".3f")}}, "order", text("order"), orders)),
               rule("y", kHalf), rule("x", 1), rule_label("x", 1, text("model"))}),
          .data = FigureData{{{"strength", strength}, {"share", share}, {"order", order}}}};
}

Figure terms_figure(const Numbers& numbers) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return wording(std::string("expansion.figures.expansion-terms.") + of_what);
  };
  std::vector<Words> of;
  std::vector<double> size;
  for (const auto& term : {kSizeFirst, kSizeSame, kSizePairs, kSizeRest}) {
    of.push_back(text(term.name));
    size.push_back(numbers.value(term));
  }
  return {.name = "expansion-terms",
          .title = text("title"),
          .caption = text("caption"),
          .specification = with_height(
              mark({{"type", "bar"}}, {{"y", listed("of", text("of"))}, {"x", number("size", text("size"), ".3f")}}),
              height_of(of.size())),
          .data = FigureData{{{"of", of}, {"size", size}}}};
}

Findings run_expansion(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Size& size = conditions.quick ? kQuickRun : kFullRun;
  size_t length = 0;
  for (const auto& one : subject.corpus.sentences) length = std::max(length, std::min(size.tokens, one.ids.size()));
  length = std::min(length, static_cast<size_t>(subject.positions.rows()));
  if (const auto lacking = lacks_interaction(subject, std::max(MixedDifferences::kTokens, length))) {
    findings.gaps["4.2"] = *lacking;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(wording("expansion.left_out", {{"few", kQuickRun.texts},
                                                               {"few_tokens", kQuickRun.tokens},
                                                               {"many", kFullRun.texts},
                                                               {"many_tokens", kFullRun.tokens}}));
  }
  if (centred(subject.positions).isZero(0)) {
    findings.gaps["4.2"] = wording("expansion.gap");
    return findings;
  }
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(size.texts, length);
  Measurements measured;
  measured.all.strengths = measured.others.strengths = strengths_of(subject);
  measured.has_loss = interaction.functions() > Interaction::kDirections;
  const auto outlying = outlying_rows(subject.positions);
  for (const auto& text : texts) {
    const auto& strengths = measured.all.strengths;
    measured.all.texts.push_back(expand(interaction, text, strengths));
    measured.others.texts.push_back(expand(interaction, with_rows_kept(text, outlying), strengths));
    measured.at_size.add(interaction, text, measured.all.texts.back(), 1);
    measured.small.add(interaction, text, measured.all.texts.back(), strengths[kSmallest]);
    conditions.progress(static_cast<double>(measured.all.texts.size()) / static_cast<double>(texts.size()));
  }
  Numbers& numbers = findings.numbers["4.2"];
  add_numbers(measured, conditions, numbers);
  findings.figures = {curve(measured.all, measured.others), terms_figure(numbers)};
  findings.remarks.push_back(wording("expansion.expanded", {{"texts", texts.size()}, {"tokens", length}}));
  return findings;
}

Verdict judge_expansion(const Numbers& numbers) {
  const double two = numbers.value(kSecondOrder);
  const double mixed = numbers.value(kMixed);
  Verdict verdict;
  if (numbers.control(kSecondOrder) < kExact || numbers.null(kSecondOrder) >= kHalf) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = two >= kHalf ? Observation::holds : Observation::fails;
  }
  if (numbers.control(kMixed) < kExact || numbers.null(kMixed) >= kHalf) {
    verdict.inference = Inference::not_tested;
  } else {
    verdict.inference = mixed >= kHalf ? Inference::follows : Inference::does_not_follow;
  }
  Fills measured = settings();
  measured.insert(measured.end(), {{"rest", numbers.value(kSizeRest)},
                                   {"first", numbers.value(kFirstOrder)},
                                   {"second", two},
                                   {"mixed", mixed},
                                   {"second_small", numbers.control(kSecondOrder)}});
  verdict.reason = wording("expansion.reason", measured);
  return verdict;
}

Words answer_expansion(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.2")) return findings.gaps.at("4.2");
  const Numbers& numbers = findings.numbers.at("4.2");
  const bool most = verdicts.at("4.2").observation == Observation::holds;
  Fills measured = settings();
  measured.insert(measured.end(),
                  {{"rest", numbers.value(kSizeRest)}, {"percent_small", 100 * numbers.control(kSecondOrder)}});
  return wording(most ? "expansion.answer_most" : "expansion.answer_little", measured);
}

}  // namespace
}  // namespace expansion

Experiment expansion_experiment() {
  using namespace expansion;
  Experiment experiment = described_experiment("expansion", settings());
  experiment.effort = 30;
  experiment.rules = {described_rule("expansion", "4.2", judge_expansion, settings())};
  experiment.run = run_expansion;
  experiment.answer = answer_expansion;
  return experiment;
}

}  // namespace summand::lab
