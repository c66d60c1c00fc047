#include "lab/experiments/position_strength/strength_numbers.hpp"

#include <span>
#include <string>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
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

/// The split of every text.
std::vector<TextLogits> split(const FirstLogits& logits, const model::Batch& batch, StrengthOf of, size_t strengths,
                              const Table& turn, const Conditions& conditions) {
  std::vector<TextLogits> texts(batch.texts());
  run_tasks(conditions, texts.size(), [&](size_t text) {
    texts[text] =
        text_logits(logits, strength_inputs(logits, batch, text, of, turn), std::span(kStrengths).first(strengths));
  });
  return texts;
}

template <class Of>
std::vector<double> each(const std::vector<TextLogits>& texts, const Of& of) {
  std::vector<double> values;
  for (const auto& text : texts) values.push_back(of(text));
  return values;
}

std::vector<double> uniform_of(const std::vector<TextLogits>& texts) {
  return each(texts, [](const TextLogits& text) { return text.uniform; });
}

TermShares shares_of(const std::vector<TextLogits>& texts) {
  TermShares shares;
  for (const auto& text : texts) shares.add(text.shares);
  return shares;
}

double position_share_of_norms(const std::vector<TextLogits>& texts) {
  const double token = mean(each(texts, [](const TextLogits& text) { return text.token_norms; }));
  const double position = mean(each(texts, [](const TextLogits& text) { return text.position_norms; }));
  return token + position > 0 ? position / (token + position) : 0;
}

/// Of the two parts' own terms, without what they have to do with each other.
double position_share_of_logits(const std::vector<TextLogits>& texts) {
  const auto shares = shares_of(texts);
  const double token = shares.spread(LogitGroup::token_token);
  const double position = shares.spread(LogitGroup::position_position);
  return token + position > 0 ? position / (token + position) : 0;
}

Words of_blind() {
  return wording("position_strength.beside.blind");
}
Words of_fixed_sigma() {
  return wording("position_strength.beside.fixed_sigma");
}

struct Splits {
  std::vector<TextLogits> own, fixed_sigma, sigma_alone, turned, blind;
};

void add_moved(const Splits& splits, const Draws& draws, Numbers& numbers) {
  const auto add = [&](const std::string& name, Words label, size_t i, const std::vector<TextLogits>& own) {
    const auto moved = [i](const TextLogits& text) { return text.moved[i]; };
    const auto ratio = [&](const std::vector<TextLogits>& texts) {
      return ratio_of_means(each(texts, moved), uniform_of(texts));
    };
    Draws of_this = draws;
    of_this.name += name;
    const auto value = ratio_over_texts(each(own, moved), uniform_of(own), of_this);
    numbers.add(Measured(name, std::move(label), value.value)
                    .interval(value.interval)
                    .null(ratio(splits.fixed_sigma), of_fixed_sigma())
                    .control(ratio(splits.blind), of_blind()));
  };
  for (size_t i = 0; i < named_strengths().size(); ++i) {
    const auto& [strength, name, words] = named_strengths()[i];
    add(kMovedBy.of(name), kMovedBy.label({{"strength", words}}), i, splits.own);
  }
  constexpr size_t kTwice = 2;  // its place among them
  const Fills twice{{"strength", named_strengths()[kTwice].words}};
  add(std::string(kMovedThroughSigma), kMovedThroughSigma.label(twice), kTwice, splits.sigma_alone);
  const auto nats = [](const std::vector<TextLogits>& texts) {
    return mean(each(texts, [](const TextLogits& text) { return text.moved[kTwice]; }));
  };
  numbers.add(Measured(kNatsByDoubling, nats(splits.own), twice)
                  .null(nats(splits.fixed_sigma), of_fixed_sigma())
                  .control(nats(splits.blind), of_blind()));
}

void add_terms(const Splits& splits, Numbers& numbers) {
  const auto beside = [&](Measured number, const auto& of) {
    numbers.add(number.null(of(splits.turned), wording("position_strength.beside.turned"))
                    .control(of(splits.blind), of_blind()));
  };
  const auto add = [&](const NumberName& name, const auto& of) { beside(Measured(name, of(splits.own)), of); };
  for (const LogitGroup group : kLogitGroups) {
    const auto add_of_group = [&](const NumberName& family, const auto& of) {
      beside(Measured(family, name_of(group), of(splits.own), {{"group", words_of(group)}}), of);
    };
    add_of_group(kShare, [group](const std::vector<TextLogits>& texts) { return shares_of(texts).share(group); });
    add_of_group(kZeroed, [group](const std::vector<TextLogits>& texts) {
      return ratio_of_means(
          each(texts, [group](const TextLogits& text) { return text.zeroed[static_cast<size_t>(group)]; }),
          uniform_of(texts));
    });
  }
  add(kCrossSpread, [](const std::vector<TextLogits>& texts) { return shares_of(texts).spread(LogitGroup::cross); });
  add(kShareOfNorms, position_share_of_norms);
  add(kShareOfLogits, position_share_of_logits);
  const auto mean_of_texts = [&](double TextLogits::*field) {
    return mean(each(splits.own, [field](const TextLogits& text) { return text.*field; }));
  };
  numbers.add(Measured(kNormAgainstContribution, mean_of_texts(&TextLogits::norm_against_contribution))
                  .null(1, wording("position_strength.beside.in_proportion"))
                  .control(mean_of_texts(&TextLogits::others_norm_against_contribution),
                           wording("position_strength.beside.another_norm")));
}

}  // namespace
}  // namespace position_strength

const std::array<NamedStrength, 3>& named_strengths() {
  using namespace position_strength;
  const auto named = [](size_t i, const char* name) {
    return NamedStrength{kStrengths[i], name, wording(std::string("position_strength.strengths.") + name)};
  };
  static const std::array list{named(0, "removing"), named(1, kHalving), named(2, kDoubling)};
  return list;
}

StrengthSize StrengthSize::of(const Conditions& conditions) {
  if (!conditions.quick) return {};
  return {.texts = 5, .longest = 24, .watched = 3, .resamplings = 100, .strengths = {0, 0.5, 1, 2}};
}

TermShares add_logit_numbers(const FirstLogits& logits, const model::Batch& batch, const Conditions& conditions,
                             const Draws& draws, Numbers& numbers) {
  using namespace position_strength;
  RandomStream stream(conditions.seed, "position strength: turn");
  const auto hidden = logits.hidden();
  const Table turn = random_frame(hidden, hidden, stream);
  const auto of = [&](StrengthOf how, size_t strengths) {
    return split(logits, batch, how, strengths, turn, conditions);
  };
  const Splits splits{.own = of(StrengthOf::model, kStrengths.size()),
                      .fixed_sigma = of(StrengthOf::fixed_sigma, kStrengths.size()),
                      .sigma_alone = of(StrengthOf::sigma_alone, kStrengths.size()),
                      .turned = of(StrengthOf::turned, 0),
                      .blind = of(StrengthOf::blind, kStrengths.size())};
  add_moved(splits, draws, numbers);
  add_terms(splits, numbers);
  return shares_of(splits.own);
}

}  // namespace summand::lab
