#include "lab/experiments/position_strength/strength_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/position_strength/strength_figures.hpp"
#include "lab/experiments/position_strength/strength_numbers.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

const Words kLoud{"positions of noise, as long as token rows", "位置取噪声，与词元行等长"};
const Words kWithout{"no positions", "没有位置"};

}  // namespace

void add_outputs(const StrengthModels& models, const Draws& draws, Numbers& numbers) {
  for (const auto& [strength, name, words] : named_strengths()) {
    const auto own = models.own.change(strength);
    const auto loud = models.loud.change(strength);
    const auto without = models.without.change(strength);
    const auto add = [&](const std::string& of_name, const Words& label, std::vector<double> OutputChange::*field) {
      Draws of_this = draws;
      of_this.name += of_name;
      const auto value = mean_over_texts(own.*field, of_this);
      numbers.add(Measured(of_name, label, value.value)
                      .interval(value.interval)
                      .null(mean(loud.*field), kLoud)
                      .control(mean(without.*field), kWithout));
    };
    add(std::string("output_") + name,
        {words.en + ": change of sentence vectors, 1 − cosine", words.zh + "：句向量的变化，1 − 余弦"},
        &OutputChange::vectors);
    if (own.losses.empty()) continue;
    add(std::string("output_") + name + "_loss",
        {words.en + ": change of masked-language loss, nats", words.zh + "：掩码语言损失的变化，奈特"},
        &OutputChange::losses);
  }
}

/// What the last layer's attention does, and the figure of all.
void add_layers(const StrengthModels& models, const model::Batch& batch, const Conditions& conditions,
                Findings& findings) {
  constexpr double kDoubled = 2;
  const auto attention_in = [&](const StrengthOutputs& model) { return layer_attention(model.engine(1), batch); };
  const auto own = attention_in(models.own);
  std::vector<StrengthCurvePoint> points;
  double last = 0;
  const auto strengths = StrengthSize::of(conditions).strengths;
  for (const double strength : strengths) {
    const auto moved = models.own.moved(own, strength, batch);
    for (size_t layer = 0; layer < moved.size(); ++layer) points.push_back({strength, layer, moved[layer]});
    if (strength == kDoubled) last = moved.back();
  }
  const auto beside = [&](const StrengthOutputs& model) {
    return model.moved(attention_in(model), kDoubled, batch).back();
  };
  findings.numbers["4.9"].add(Measured("moved_in_last_layer",
                                       {"position rows × 2: last layer's attention, divergence over that from uniform "
                                        "attention",
                                        "位置行 × 2：末层注意力的散度与均匀注意力的散度之比"},
                                       last)
                                  .null(beside(models.loud), kLoud)
                                  .control(beside(models.without), kWithout));
  findings.figures.push_back(strength_figure(points, own.size()));
}

void add_zeroed_outputs(const Subject& subject, const FirstLogits& logits, const model::Batch& batch,
                        const Conditions& conditions, Numbers& numbers) {
  const auto vectors = [&](LogitChange change, LogitGroup group) {
    return vectors_with_logits(subject, logits, batch, change, group);
  };
  const Table own = vectors(nothing_less, LogitGroup::segment);
  const auto change = [&](const Table& other) { return std::max(0.0, 1 - cosines_by_row(own, other).mean()); };
  const double all = change(vectors(less_all, LogitGroup::segment));
  const double constant = change(vectors(less_constant, LogitGroup::segment));
  std::vector<LogitGroup> groups(kLogitGroups.begin(), kLogitGroups.end());
  if (conditions.quick) groups = {LogitGroup::token_token, LogitGroup::position_position, LogitGroup::cross};
  for (const LogitGroup group : groups) {
    numbers.add(Measured(std::string("output_without_") + name_of(group),
                         {words_of(group).en + " terms 0 in the first layer: change of sentence vectors, 1 − cosine",
                          "首层" + words_of(group).zh + "项置零：句向量的变化，1 − 余弦"},
                         change(vectors(less_group, group)))
                    .null(all, {"all scores of the first layer 0", "首层全部分数置零"})
                    .control(constant, {"a constant less for each query, which a softmax does not see",
                                        "每个查询减去一个常数，softmax 看不见"}));
  }
}

}  // namespace summand::lab
