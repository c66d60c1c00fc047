#include "lab/experiments/position_strength/strength_numbers.hpp"

#include <span>
#include <string>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/position_strength/text_logits.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"

namespace summand::lab {

namespace {

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

const Words kFixedSigma{"the normalisation's σ held: position terms are bilinear", "归一化的 σ 固定：位置项是双线性的"};
const Words kTurned{"position parts turned at random, as long", "位置部分随机旋转，长度不变"};
const Words kBlind{"queries and keys blind to positions, σ held", "查询与键看不见位置，σ 固定"};

struct Splits {
  std::vector<TextLogits> own, fixed_sigma, sigma_alone, turned, blind;
};

void add_moved(const Splits& splits, const Draws& draws, Numbers& numbers) {
  const auto add = [&](const std::string& name, const Words& label, size_t i, const std::vector<TextLogits>& own) {
    const auto moved = [i](const TextLogits& text) { return text.moved[i]; };
    const auto ratio = [&](const std::vector<TextLogits>& texts) {
      return ratio_of_means(each(texts, moved), uniform_of(texts));
    };
    Draws of_this = draws;
    of_this.name += name;
    const auto value = ratio_over_texts(each(own, moved), uniform_of(own), of_this);
    numbers.add(Measured(name, label, value.value)
                    .interval(value.interval)
                    .null(ratio(splits.fixed_sigma), kFixedSigma)
                    .control(ratio(splits.blind), kBlind));
  };
  for (size_t i = 0; i < named_strengths().size(); ++i) {
    const auto& [strength, name, words] = named_strengths()[i];
    add(std::string("moved_by_") + name,
        {words.en + ": first layer's attention, divergence over that from uniform attention",
         words.zh + "：首层注意力的散度与均匀注意力的散度之比"},
        i, splits.own);
  }
  constexpr size_t kDoubling = 2;
  add("moved_through_sigma", {"position rows × 2, seen by σ alone: the same", "位置行 × 2，只经 σ 起作用：同上"},
      kDoubling, splits.sigma_alone);
  const auto nats = [](const std::vector<TextLogits>& texts) {
    return mean(each(texts, [](const TextLogits& text) { return text.moved[kDoubling]; }));
  };
  numbers.add(Measured("nats_by_doubling",
                       {"position rows × 2: first layer's attention, nats", "位置行 × 2：首层注意力的散度，奈特"},
                       nats(splits.own))
                  .null(nats(splits.fixed_sigma), kFixedSigma)
                  .control(nats(splits.blind), kBlind));
}

void add_terms(const Splits& splits, Numbers& numbers) {
  const auto add = [&](const std::string& name, const Words& label, const auto& of) {
    numbers.add(
        Measured(name, label, of(splits.own)).null(of(splits.turned), kTurned).control(of(splits.blind), kBlind));
  };
  for (const LogitGroup group : kLogitGroups) {
    const auto& words = words_of(group);
    add(std::string("share_") + name_of(group),
        {words.en + ": share of the logits' variance over keys", words.zh + "：占 logits 在各键间方差的比例"},
        [group](const std::vector<TextLogits>& texts) { return shares_of(texts).share(group); });
    add(std::string("zeroed_") + name_of(group),
        {words.en + " terms 0: first layer's attention, divergence over that from uniform attention",
         words.zh + "项置零：首层注意力的散度与均匀注意力的散度之比"},
        [group](const std::vector<TextLogits>& texts) {
          return ratio_of_means(
              each(texts, [group](const TextLogits& text) { return text.zeroed[static_cast<size_t>(group)]; }),
              uniform_of(texts));
        });
  }
  add("cross_spread",
      {"token – position terms: their own variance over keys beside the logits'; 0 is uniform",
       "词元–位置项：自身在各键间的方差与 logits 之比；0 为均匀"},
      [](const std::vector<TextLogits>& texts) { return shares_of(texts).spread(LogitGroup::cross); });
  add("position_share_of_norms",
      {"position's share of the parts' squared norms, token and position, normalised input",
       "归一化输入中，位置部分占词元与位置平方模长之和的比例"},
      position_share_of_norms);
  add("position_share_of_logits",
      {"position – position's share of its own and token – token's variance over keys",
       "位置–位置项占其与词元–词元项在各键间方差之和的比例"},
      position_share_of_logits);
  const auto mean_of_texts = [&](double TextLogits::*field) {
    return mean(each(splits.own, [field](const TextLogits& text) { return text.*field; }));
  };
  numbers.add(Measured("norm_against_contribution",
                       {"Kendall's τ within texts: norm of a token's part, and how much it moves logits as a key",
                        "文本内的 Kendall τ：词元部分的模长与它作为键对 logits 的影响"},
                       mean_of_texts(&TextLogits::norm_against_contribution))
                  .null(1, {"contributions in proportion to norms", "影响与模长成正比"})
                  .control(mean_of_texts(&TextLogits::others_norm_against_contribution),
                           {"norm of the token half a text on", "取半个文本之后那个词元的模长"}));
}

}  // namespace

const std::array<NamedStrength, 3>& named_strengths() {
  static const std::array<NamedStrength, 3> list{
      NamedStrength{kStrengths[0], "removing", {"position rows × 0", "位置行 × 0"}},
      NamedStrength{kStrengths[1], "halving", {"position rows × ½", "位置行 × ½"}},
      NamedStrength{kStrengths[2], "doubling", {"position rows × 2", "位置行 × 2"}}};
  return list;
}

StrengthSize StrengthSize::of(const Conditions& conditions) {
  if (!conditions.quick) return {};
  return {.texts = 5, .longest = 24, .watched = 3, .resamplings = 100, .strengths = {0, 0.5, 1, 2}};
}

TermShares add_logit_numbers(const FirstLogits& logits, const model::Batch& batch, const Conditions& conditions,
                             const Draws& draws, Numbers& numbers) {
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
