#include "lab/experiments/position_strength/strength_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/position_strength/strength_figures.hpp"
#include "lab/experiments/position_strength/strength_numbers.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace position_strength {
namespace {

constexpr NumberName kOutput{"position_strength", "output"};  // families: by a named strength
constexpr NumberName kOutputLoss{"position_strength", "output_loss"};
constexpr NumberName kMovedInLastLayer{"position_strength", "moved_in_last_layer"};
constexpr NumberName kOutputWithout{"position_strength", "output_without"};  // a family: without a group of terms

LocalizedText of_loud() {
  return localize("position_strength.beside.loud");
}
LocalizedText of_without() {
  return localize("position_strength.beside.without");
}

}  // namespace
}  // namespace position_strength

void add_outputs(const StrengthModels& models, const Draws& draws, Numbers& numbers) {
  using namespace position_strength;
  const auto measure = [&](const NamedStrength& by, StrengthenedRows rows, const std::string& behind) {
    const auto own = models.own.change(by.strength, rows);
    const auto loud = models.loud.change(by.strength, rows);
    const auto without = models.without.change(by.strength, rows);
    const auto add = [&](const std::string& of_name, LocalizedText label, std::vector<double> OutputChange::*field) {
      Draws of_this = draws;
      of_this.name += of_name;
      numbers.add(NumberBuilder(of_name, std::move(label), mean_over_texts(own.*field, of_this))
                      .null(mean(loud.*field), of_loud())
                      .control(mean(without.*field), of_without()));
    };
    const char* which = rows == StrengthenedRows::all ? "all_rows" : "row_0_kept";
    const FormatArgs of_strength{{"strength", by.words},
                                 {"rows", localize(std::string("position_strength.scaled_rows.") + which)}};
    add(kOutput.of(by.name + behind), kOutput.label(of_strength), &OutputChange::vectors);
    if (own.losses.empty()) return;
    add(kOutput.of(by.name + behind + "_loss"), kOutputLoss.label(of_strength), &OutputChange::losses);
  };
  for (const auto& by : named_strengths()) measure(by, StrengthenedRows::all_but_row_0, "");
  for (const auto& by : named_strengths()) measure(by, StrengthenedRows::all, std::string("_") + kAllRows);
}

/// What the last layer's attention does, and the figure of all.
void add_layers(const StrengthModels& models, const model::Batch& batch, const Conditions& conditions,
                Findings& findings) {
  using namespace position_strength;
  const NamedStrength& twice = named_strengths().back();
  const auto attention_in = [&](const StrengthOutputs& model) { return layer_attention(model.engine(1), batch); };
  const auto own = attention_in(models.own);
  std::vector<StrengthCurvePoint> points;
  double last = 0;
  const auto strengths = StrengthSize::of(conditions).strengths;
  for (const double strength : strengths) {
    const auto moved = models.own.moved(own, strength, batch);
    for (size_t layer = 0; layer < moved.size(); ++layer) points.push_back({strength, layer, moved[layer]});
    if (strength == twice.strength) last = moved.back();
  }
  const auto moved = [&](const StrengthOutputs& model) {
    return model.moved(attention_in(model), twice.strength, batch).back();
  };
  findings.numbers["4.9"].add(NumberBuilder(kMovedInLastLayer, last, {{"strength", twice.words}})
                                  .null(moved(models.loud), of_loud())
                                  .control(moved(models.without), of_without()));
  findings.figures.push_back(strength_figure(points, own.size()));
}

void add_zeroed_outputs(const Subject& subject, const FirstLogits& logits, const model::Batch& batch,
                        const Conditions& conditions, Numbers& numbers) {
  using namespace position_strength;
  const auto vectors = [&](LogitChange change, LogitGroup group) {
    return vectors_with_logits(subject, logits, batch, change, group);
  };
  const Table own = vectors(nothing_less, LogitGroup::segment);
  const auto change = [&](const Table& other) { return std::max(0.0, 1 - cosines_by_row(own, other).mean()); };
  const double all = change(vectors(less_all, LogitGroup::segment));
  const double constant = change(vectors(less_constant, LogitGroup::segment));
  for (const LogitGroup group : StrengthSize::of(conditions).zeroed) {
    numbers.add(
        NumberBuilder(kOutputWithout, name_of(group), change(vectors(less_group, group)), {{"group", words_of(group)}})
            .null(all, localize("position_strength.beside.all_zero"))
            .control(constant, localize("position_strength.beside.constant_less")));
  }
}

}  // namespace summand::lab
