// 4.2: expanded to second order in the rows of two positions, how much of what they do is left, and in which term?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/expansion/taylor.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace expansion {
namespace {

using Eigen::Index;

constexpr double kHalf = 0.5;  // of what two positions do: below it the derivation is a heuristic (the ledger, row 4.2)
constexpr double kExact = 0.95;  // what the expansion has to explain of small positions
constexpr size_t kResamplings = 1000;
constexpr Index kPairTokens = 6;    // whose pairs are taken
constexpr size_t kLeastTokens = 6;  // of a text: [CLS], [SEP] and four between

constexpr NumberName kPairSecond{"expansion", "pair_explained_2"};
constexpr NumberName kPairMixed{"expansion", "pair_mixed_explained"};
constexpr NumberName kPairFirst{"expansion", "pair_explained_1"};
constexpr NumberName kPairSecondAll{"expansion", "pair_explained_2_all"};
constexpr NumberName kPairMixedAll{"expansion", "pair_mixed_explained_all"};
constexpr NumberName kSizeFirst{"expansion", "size_first"};
constexpr NumberName kSizeSame{"expansion", "size_same"};
constexpr NumberName kSizePairs{"expansion", "size_pairs"};
constexpr NumberName kSizeRest{"expansion", "size_rest"};
constexpr NumberName kFirstOrder{"expansion", "explained_1"};
constexpr NumberName kSecondOrder{"expansion", "explained_2"};
constexpr NumberName kSecondOrderKept{"expansion", "explained_2_row_0_kept"};
constexpr NumberName kTermsToeplitz{"expansion", "terms_toeplitz"};
constexpr NumberName kLoss{"expansion", "loss_explained"};

/// How much is expanded.
struct Size {
  size_t texts = 8;
  size_t tokens = 8;  ///< as many as derivatives are carried along in one pass
};
constexpr Size kFullRun{};
constexpr Size kQuickRun{.texts = kLeastResampled};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"directions", Interaction::kDirections},
          {"resamplings", kResamplings},
          {"half", kHalf},
          {"exact", kExact},
          {"large", kNullLength},
          {"small", 1 / kShownStrengths[kSmallest]}};
}

/// Pairs at the model's own size, as small as the document supposes, and as the null has them.
struct PairsBySize {
  Pairs own, small, large;
};

/// What is measured: with row 0, where [CLS] always stands, kept in the point, and with all rows moving.
struct Measurements {
  ExpandedTexts kept, all;
  PairsBySize pairs;  ///< of ordinary tokens, row 0 kept
  Pairs pairs_all;    ///< of the first tokens, [CLS] among them
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
    const Index ordinary = text.slopes.cols() - 2;
    for (size_t f = 0; f < Interaction::kDirections; ++f) {
      const Table terms = text.terms[f].block(1, 1, ordinary, ordinary);
      own.push_back((terms + terms.transpose()) / 2);
      random.push_back(shuffled(own.back(), stream));
    }
  }
  Table distances(own.front().rows(), own.front().rows());
  for (Index m = 0; m < distances.rows(); ++m) {
    for (Index n = 0; n < distances.rows(); ++n)
      distances(m, n) = std::exp(-0.3 * std::abs(static_cast<double>(m - n)));
  }
  numbers.add(NumberBuilder(kTermsToeplitz, toeplitz_of(own))
                  .null(toeplitz_of(random), localize("expansion.beside.shuffled"))
                  .control(toeplitz_of({distances}), localize("expansion.beside.distance")));
}

/// Adds shares that are explained, each with its interval, null and control.
class Shares {
 public:
  Shares(const Conditions& conditions, Numbers& numbers) : conditions_(conditions), numbers_(numbers) {}

  void add(const NumberName& name, const Explained& own, const Explained& large, const Explained& small) {
    const auto share = [&](const Explained& of, const char* which) {
      const std::string stream = fmt::format("expansion: {} {}", name.name, which);
      return Estimate{of.share(), of.interval({.seed = conditions_.seed, .name = stream, .count = kResamplings})};
    };
    numbers_.add(NumberBuilder(name, share(own, "own"))
                     .null(share(large, "large"), of_null_)
                     .control(share(small, "small"), of_control_));
  }
  void add(const NumberName& name, const ExpandedTexts& texts, int order) {
    add(name, texts.explained_at(kFull, order), texts.explained_at(kNull, order), texts.explained_at(kSmallest, order));
  }

 private:
  const Conditions& conditions_;
  Numbers& numbers_;
  LocalizedText of_null_ = localize("expansion.beside.large", settings());
  LocalizedText of_control_ = localize("expansion.beside.small", settings());
};

void add_sizes(const PairsBySize& pairs, Numbers& numbers) {
  const NumberAdder add(numbers, pairs.own, {pairs.large, localize("expansion.beside.large", settings())},
                        {pairs.small, localize("expansion.beside.small", settings())});
  add(kSizeFirst, [](const Pairs& one) { return one.size(one.squares_first); });
  add(kSizeSame, [](const Pairs& one) { return one.size(one.squares_same); });
  add(kSizePairs, [](const Pairs& one) { return one.size(one.squares_pair); });
  add(kSizeRest, [](const Pairs& one) { return std::sqrt(1 - one.second.share()); });
}

void add_loss(const ExpandedTexts& measured, Numbers& numbers) {
  std::vector<double> exact[3];
  std::vector<double> expected[3];
  for (const auto& text : measured.texts) {
    for (size_t i = 0; const size_t strength : {kFull, kNull, kSmallest}) {
      exact[i].push_back(text.changes[strength](Interaction::kDirections));
      expected[i++].push_back(text.predicted(measured.strengths[strength], 2)(Interaction::kDirections));
    }
  }
  numbers.add(NumberBuilder(kLoss, explained(exact[0], expected[0]))
                  .null(explained(exact[1], expected[1]), localize("expansion.beside.large", settings()))
                  .control(explained(exact[2], expected[2]), localize("expansion.beside.small", settings())));
}

void add_numbers(const Measurements& measured, const Conditions& conditions, Numbers& numbers) {
  const auto& [own, small, large] = measured.pairs;
  Shares shares(conditions, numbers);
  shares.add(kPairSecond, own.second, large.second, small.second);
  shares.add(kPairMixed, own.mixed, large.mixed, small.mixed);
  shares.add(kPairFirst, own.first, large.first, small.first);
  shares.add(kPairSecondAll, measured.pairs_all.second, large.second, small.second);
  shares.add(kPairMixedAll, measured.pairs_all.mixed, large.mixed, small.mixed);
  add_sizes(measured.pairs, numbers);
  shares.add(kFirstOrder, measured.all, 1);
  shares.add(kSecondOrder, measured.all, 2);
  shares.add(kSecondOrderKept, measured.kept, 2);
  add_toeplitz(measured.kept, conditions, numbers);
  if (measured.has_loss) add_loss(measured.kept, numbers);
}

Figure curve(const ExpandedTexts& all, const ExpandedTexts& kept) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return localize(std::string("expansion.figures.expansion-explained.") + of_what);
  };
  const std::vector<Series> orders{{text("order_1"), {.colour = "@orange", .dash = {6, 3}}},
                                   {text("order_2"), {.colour = "@blue", .width = 2.5}},
                                   {text("order_2_row_0_kept"), {.colour = "@green", .dash = {2, 2}}}};
  std::vector<double> strength;
  std::vector<double> share;
  std::vector<LocalizedText> order;
  for (size_t i = 0; i < kShownStrengths.size(); ++i) {
    const double shares[]{all.explained_at(i, 1).share(), all.explained_at(i, 2).share(),
                          kept.explained_at(i, 2).share()};
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
    return localize(std::string("expansion.figures.expansion-terms.") + of_what);
  };
  std::vector<LocalizedText> of;
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

Measurements measure(const Interaction& interaction, const std::vector<ExpandedText>& texts, const Subject& subject,
                     const Conditions& conditions) {
  constexpr std::array<size_t, 1> kRow0{0};
  Measurements measured;
  const Strengths strengths = measured.kept.strengths = measured.all.strengths = strengths_of(subject);
  measured.has_loss = interaction.functions() > Interaction::kDirections;
  std::vector<ExpandedText> kept;
  for (const auto& text : texts) kept.push_back(with_rows_kept(text, kRow0));
  measured.kept.texts = expand(interaction, kept, strengths);
  conditions.progress(0.2);
  measured.all.texts = expand(interaction, texts, strengths);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto share = static_cast<double>(i) / static_cast<double>(texts.size());
    conditions.progress(0.4 + 0.6 * share);
    const Index pairs = std::min(kPairTokens, texts[i].moves.rows() - 2);
    const std::array<Index, 2> ordinary{1, 1 + pairs};
    const auto& of_kept = measured.kept.texts[i];
    measured.pairs.own.add(interaction, kept[i], of_kept, strengths[kFull], ordinary);
    measured.pairs.small.add(interaction, kept[i], of_kept, strengths[kSmallest], ordinary);
    measured.pairs.large.add(interaction, kept[i], of_kept, strengths[kNull], ordinary);
    measured.pairs_all.add(interaction, texts[i], measured.all.texts[i], strengths[kFull], {0, pairs});
  }
  return measured;
}

Findings run_expansion(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Size& size = conditions.quick ? kQuickRun : kFullRun;
  size_t length = 0;
  for (const auto& one : subject.corpus.sentences) length = std::max(length, std::min(size.tokens, one.ids.size()));
  length = std::min(length, static_cast<size_t>(subject.positions.rows()));
  if (const auto lacking = lacks_interaction(subject, std::max(kLeastTokens, length))) {
    findings.gaps["4.2"] = *lacking;
    return findings;
  }
  if (subject.model->config().num_hidden_layers < 1) {
    findings.gaps["4.2"] = localize("expansion.no_layer");
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("expansion.left_out", {{"few", kQuickRun.texts}, {"many", kFullRun.texts}}));
  }
  if (centred(subject.positions).isZero(0)) {
    findings.gaps["4.2"] = localize("expansion.gap");
    return findings;
  }
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(size.texts, length);
  if (const auto few = too_few(texts.size(), texts_from(length))) {
    findings.gaps["4.2"] = *few;
    return findings;
  }
  const auto measured = measure(interaction, texts, subject, conditions);
  Numbers& numbers = findings.numbers["4.2"];
  add_numbers(measured, conditions, numbers);
  findings.figures = {curve(measured.all, measured.kept), terms_figure(numbers)};
  findings.remarks.push_back(localize(
      "expansion.expanded",
      {{"texts", texts.size()}, {"tokens", length}, {"pair_tokens", std::min<size_t>(kPairTokens, length - 2)}}));
  return findings;
}

/// Whether half is explained, by the whole interval.
Observation half_of(const Interval& explained) {
  if (explained.low >= kHalf) return Observation::holds;
  return explained.high < kHalf ? Observation::fails : Observation::cannot_be_told;
}

/// What is said of a share where the rule finds small positions explained and large ones not.
Observation evaluate(const Number& share) {
  const Controlled<Interval> explained{*share.interval, *share.null->interval, *share.control->interval};
  return observation_if(share.control->value >= kExact, explained.judged_by(half_of));
}

/// Numbers that the reason and the answer have.
FormatArgs measured_shares(const Numbers& numbers) {
  const Number& second = numbers.at(kPairSecond);
  const Number& mixed = numbers.at(kPairMixed);
  FormatArgs args = settings();
  args.insert(args.end(),
              {{"second", second.value},
               {"second_low", second.interval->low},
               {"second_high", second.interval->high},
               {"worse", second.interval->low < 0 ? localize("expansion.worse_than_none") : LocalizedText{}},
               {"beside_none",
                localize(second.interval->high < 0 ? "expansion.beside_none.worse" : "expansion.beside_none.better")},
               {"mixed", mixed.value},
               {"mixed_low", mixed.interval->low},
               {"mixed_high", mixed.interval->high},
               {"second_all", numbers.value(kPairSecondAll)},
               {"every", numbers.value(kSecondOrder)},
               {"rest", numbers.value(kSizeRest)},
               {"second_small", second.control->value},
               {"percent_small", 100 * second.control->value}});
  return args;
}

Verdict judge_expansion(const Numbers& numbers) {
  Verdict verdict;
  verdict.observation = evaluate(numbers.at(kPairSecond));
  const Observation mixed = evaluate(numbers.at(kPairMixed));
  verdict.inference = mixed == Observation::holds   ? Inference::follows
                      : mixed == Observation::fails ? Inference::does_not_follow
                                                    : Inference::not_tested;
  verdict.reason = localize("expansion.reason", measured_shares(numbers));
  return verdict;
}

LocalizedText answer_expansion(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.2")) return gap_answer(findings.gaps.at("4.2"));
  const auto seen = verdicts.at("4.2").observation;
  const char* answer = seen == Observation::holds   ? "expansion.answer_most"
                       : seen == Observation::fails ? "expansion.answer_little"
                                                    : "expansion.answer_open";
  return localize(answer, measured_shares(findings.numbers.at("4.2")));
}

}  // namespace
}  // namespace expansion

Experiment expansion_experiment() {
  using namespace expansion;
  Experiment experiment = described_experiment("expansion", settings());
  experiment.effort = 50;
  experiment.rules = {described_rule("expansion", "4.2", judge_expansion, settings(), {.kind = Kind::data})};
  experiment.run = run_expansion;
  experiment.answer = answer_expansion;
  return experiment;
}

}  // namespace summand::lab
