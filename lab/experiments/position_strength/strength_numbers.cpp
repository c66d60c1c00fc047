#include "lab/experiments/position_strength/strength_numbers.hpp"

#include <numeric>
#include <span>
#include <string>

#include "base/random_stream.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/position_strength/text_logits.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"

namespace summand::lab {

namespace position_strength {
namespace {

constexpr NumberName kMovedThroughSigma{"position_strength", "moved_through_sigma"};
constexpr NumberName kNatsByDoubling{"position_strength", "nats_by_doubling"};
constexpr NumberName kShare{"position_strength", "share"};  // families: of a group of terms
constexpr NumberName kZeroed{"position_strength", "zeroed"};
constexpr NumberName kNormAgainstContribution{"position_strength", "norm_against_contribution"};

constexpr std::array kStrengths{0.0, 0.5, 2.0};  // as named

template <class Of>
std::vector<double> each(const std::vector<TextLogits>& texts, const Of& of) {
  std::vector<double> values;
  for (const auto& text : texts) values.push_back(of(text));
  return values;
}

using Tokens = TokensLogits TextLogits::*;

std::vector<double> moved_of(const std::vector<TextLogits>& texts, Tokens tokens, size_t strength) {
  return each(texts, [&](const TextLogits& text) { return (text.*tokens).moved[strength]; });
}
std::vector<double> uniform_of(const std::vector<TextLogits>& texts, Tokens tokens) {
  return each(texts, [&](const TextLogits& text) { return (text.*tokens).uniform; });
}

std::vector<size_t> all_of(const std::vector<TextLogits>& texts) {
  std::vector<size_t> all(texts.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

using Chosen = std::span<const size_t>;

TermShares shares_of(const std::vector<TextLogits>& texts, Tokens tokens, Chosen chosen) {
  TermShares shares;
  for (const size_t text : chosen) shares.add((texts[text].*tokens).shares);
  return shares;
}
TermShares shares_of(const std::vector<TextLogits>& texts) {
  return shares_of(texts, &TextLogits::all, all_of(texts));
}

double position_share_of_norms(const std::vector<TextLogits>& texts, Tokens tokens, Chosen chosen) {
  double token = 0;
  double position = 0;
  for (const size_t text : chosen) {
    token += (texts[text].*tokens).token_norms;
    position += (texts[text].*tokens).position_norms;
  }
  return token + position > 0 ? position / (token + position) : 0;
}

/// Of the two parts' own terms, without what they have to do with each other.
double position_share_of_logits(const std::vector<TextLogits>& texts, Tokens tokens, Chosen chosen) {
  const auto shares = shares_of(texts, tokens, chosen);
  const double token = shares.spread(LogitGroup::token_token);
  const double position = shares.spread(LogitGroup::position_position);
  return token + position > 0 ? position / (token + position) : 0;
}

LocalizedText of_blind() {
  return localize("position_strength.beside.blind");
}
LocalizedText of_fixed_sigma() {
  return localize("position_strength.beside.fixed_sigma");
}

/// The splits of all texts, by what follows the strength.
struct Splits {
  std::vector<TextLogits> own, fixed_sigma, sigma_alone, turned, blind;
  std::vector<TextLogits> own_all_rows, fixed_sigma_all_rows;  // row 0 strengthened too; blind, it makes no difference
};

/// What moves by a strength: the model's own, where it must move, and where it cannot.
struct Movers {
  const std::vector<TextLogits>& own;
  const std::vector<TextLogits>& bilinear;
  const std::vector<TextLogits>& blind;
  Tokens tokens = &TextLogits::all;
};

void add_moved(const Movers& of, const std::string& name, const LocalizedText& label, size_t strength,
               const Draws& draws, Numbers& numbers) {
  const auto ratio = [&](const std::vector<TextLogits>& texts, const char* which) {
    Draws of_this = draws;
    of_this.name += name + which;
    return ratio_over_texts(moved_of(texts, of.tokens, strength), uniform_of(texts, of.tokens), of_this);
  };
  numbers.add(NumberBuilder(name, label, ratio(of.own, ""))
                  .null(ratio(of.bilinear, " null"), of_fixed_sigma())
                  .control(ratio(of.blind, " control"), of_blind()));
}

void add_moved(const Splits& splits, const Draws& draws, Numbers& numbers) {
  const auto& [own, fixed_sigma, sigma_alone, turned, blind, own_all_rows, fixed_sigma_all_rows] = splits;
  const auto add = [&](const Movers& of, const std::string& how, const std::string& behind) {
    for (size_t i = 0; i < named_strengths().size(); ++i) {
      const auto& [strength, name, words] = named_strengths()[i];
      add_moved(of, kMovedBy.of(name + behind), localize("position_strength.moved_by." + how, {{"strength", words}}), i,
                draws, numbers);
    }
  };
  add({own, fixed_sigma, blind}, "row_0_kept", "");
  add({own_all_rows, fixed_sigma_all_rows, blind}, kAllRows, std::string("_") + kAllRows);
  add({own, fixed_sigma, blind, &TextLogits::words}, kWords, std::string("_") + kWords);
  constexpr size_t kTwice = 2;  // its place among them
  const FormatArgs twice{{"strength", named_strengths()[kTwice].words}};
  add_moved({sigma_alone, fixed_sigma, blind}, std::string(kMovedThroughSigma), kMovedThroughSigma.label(twice), kTwice,
            draws, numbers);
  const auto nats = [](const std::vector<TextLogits>& texts) {
    return mean(moved_of(texts, &TextLogits::all, kTwice));
  };
  numbers.add(NumberBuilder(kNatsByDoubling, nats(own), twice)
                  .null(nats(fixed_sigma), of_fixed_sigma())
                  .control(nats(blind), of_blind()));
}

/// A share of the position's, among words as it is judged, and among all tokens.
void add_position_share(const NumberName& name, const Splits& splits, const Draws& draws, Numbers& numbers,
                        double (*of)(const std::vector<TextLogits>&, Tokens, Chosen)) {
  const auto add = [&](const std::string& of_name, const LocalizedText& label, Tokens tokens) {
    const auto whole = [&](const std::vector<TextLogits>& texts) { return of(texts, tokens, all_of(texts)); };
    Draws of_this = draws;
    of_this.name += of_name;
    const auto interval = bootstrap(
        splits.own.size(), [&](Chosen chosen) { return of(splits.own, tokens, chosen); }, of_this);
    numbers.add(NumberBuilder(of_name, label, whole(splits.own))
                    .interval(interval)
                    .null(whole(splits.turned), localize("position_strength.beside.turned"))
                    .control(whole(splits.blind), of_blind()));
  };
  const auto label = [&](const char* tokens) {
    return name.label({{"tokens", localize(std::string("position_strength.tokens.") + tokens)}});
  };
  add(std::string(name), label(kWords), &TextLogits::words);
  add(name.of(kAllTokens), label(kAllTokens), &TextLogits::all);
}

void add_terms(const Splits& splits, const Draws& draws, Numbers& numbers) {
  const NumberAdder add(numbers, splits.own, {splits.turned, localize("position_strength.beside.turned")},
                        {splits.blind, of_blind()});
  for (const LogitGroup group : kLogitGroups) {
    const auto add_of_group = [&](const NumberName& family, const auto& of) {
      add(family, name_of(group), {{"group", words_of(group)}}, of);
    };
    add_of_group(kShare, [group](const std::vector<TextLogits>& texts) { return shares_of(texts).share(group); });
    add_of_group(kZeroed, [group](const std::vector<TextLogits>& texts) {
      return ratio_of_means(
          each(texts, [group](const TextLogits& text) { return text.zeroed[static_cast<size_t>(group)]; }),
          uniform_of(texts, &TextLogits::all));
    });
  }
  add(kCrossSpread, [](const std::vector<TextLogits>& texts) { return shares_of(texts).spread(LogitGroup::cross); });
  add_position_share(kShareOfNorms, splits, draws, numbers, position_share_of_norms);
  add_position_share(kShareOfLogits, splits, draws, numbers, position_share_of_logits);
  const auto mean_of_texts = [&](double TextLogits::*field) {
    return mean(each(splits.own, [field](const TextLogits& text) { return text.*field; }));
  };
  numbers.add(NumberBuilder(kNormAgainstContribution, mean_of_texts(&TextLogits::norm_against_contribution))
                  .null(1, localize("position_strength.beside.in_proportion"))
                  .control(mean_of_texts(&TextLogits::others_norm_against_contribution),
                           localize("position_strength.beside.another_norm")));
}

}  // namespace
}  // namespace position_strength

const std::array<NamedStrength, 3>& named_strengths() {
  using namespace position_strength;
  const auto named = [](size_t i, const char* name) {
    return NamedStrength{kStrengths[i], name, localize(std::string("position_strength.strengths.") + name)};
  };
  static const std::array list{named(0, "removing"), named(1, kHalving), named(2, kDoubling)};
  return list;
}

StrengthSize StrengthSize::quick() {
  return {.texts = 5,
          .longest = 24,
          .watched = 3,
          .resamplings = 100,
          .strengths = {0, 0.5, 1, 2},
          .zeroed = {LogitGroup::token_token, LogitGroup::position_position, LogitGroup::cross}};
}

StrengthSize StrengthSize::of(const Conditions& conditions) {
  return conditions.quick ? quick() : StrengthSize{};
}

TermShares add_logit_numbers(const Subject& subject, const FirstLogits& logits, const Texts& texts,
                             const Conditions& conditions, const Draws& draws, Numbers& numbers) {
  using namespace position_strength;
  RandomStream stream(conditions.seed, "position strength: turn");
  const Table turn = random_frame(logits.hidden(), logits.hidden(), stream);
  const StrengthTables row_0_kept(subject.positions, StrengthenedRows::all_but_row_0, kStrengths);
  const StrengthTables all_rows(subject.positions, StrengthenedRows::all, kStrengths);
  const auto of = [&](StrengthOf how, const StrengthTables& tables, size_t strengths = kStrengths.size()) {
    std::vector<TextLogits> split(texts.batch.texts());
    run_tasks(conditions, split.size(), [&](size_t text) {
      split[text] = text_logits(logits, strength_inputs(logits, texts.batch, text, tables, how, turn),
                                std::span(kStrengths).first(strengths), ordinary_words(texts, text));
    });
    return split;
  };
  const Splits splits{.own = of(StrengthOf::model, row_0_kept),
                      .fixed_sigma = of(StrengthOf::fixed_sigma, row_0_kept),
                      .sigma_alone = of(StrengthOf::sigma_alone, row_0_kept),
                      .turned = of(StrengthOf::turned, row_0_kept, 0),
                      .blind = of(StrengthOf::blind, row_0_kept),
                      .own_all_rows = of(StrengthOf::model, all_rows),
                      .fixed_sigma_all_rows = of(StrengthOf::fixed_sigma, all_rows)};
  add_moved(splits, draws, numbers);
  add_terms(splits, draws, numbers);
  return shares_of(splits.own);
}

}  // namespace summand::lab
