#include "lab/experiments/probes/probe_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace probes {

std::string name_behind(size_t part, size_t layer) {
  return kParts[part].of(layer == 0 ? "input" : fmt::format("layer_{}", layer));
}

LocalizedText words_of_part(size_t part) {
  return localize(std::string("probes.parts.") + kParts[part].name);
}
size_t dealt_to(size_t part) {
  return part == token ? position : token;
}
namespace {

LocalizedText row_alone(size_t part) {
  return localize("probes.beside.row_alone", {{"part", words_of_part(part)}});
}
LocalizedText most_frequent() {
  return localize("probes.beside.most_frequent");
}
LocalizedText words_of_place(size_t layer) {
  return layer == 0 ? localize("probes.where.input") : localize("probes.where.layer", {{"layer", layer}});
}

/// Where an accuracy lies when the texts are drawn anew: tokens of one text are no independent cases.
class OverTexts {
 public:
  OverTexts(const Probed& probed, const Conditions& conditions) : probed_(probed), conditions_(conditions) {}

  [[nodiscard]] Interval operator()(const std::vector<bool>& right, size_t part) const {
    struct Met {
      double right = 0;
      double asked = 0;
    };
    std::map<size_t, Met> by_text;
    const auto& rows = probed_.tasks.probes[part].test;
    for (size_t i = 0; i < right.size(); ++i) {
      Met& met = by_text[probed_.text[static_cast<size_t>(rows[i])]];
      met.right += right[i] ? 1 : 0;
      ++met.asked;
    }
    std::vector<Met> texts;
    for (const auto& [text, met] : by_text) texts.push_back(met);
    return bootstrap_share(texts.size(), right.size(),
                           [&](std::span<const size_t> chosen) {
                             Met sum;
                             for (const size_t text : chosen) {
                               sum.right += texts[text].right;
                               sum.asked += texts[text].asked;
                             }
                             return sum.right / sum.asked;
                           },
                           {.seed = conditions_.seed,
                            .name = "probes: texts",
                            .count = size_of(conditions_).resamplings,
                            .threads = thread_count(conditions_)});
  }

 private:
  const Probed& probed_;
  const Conditions& conditions_;
};

/// The worse of token and position; the interval has the lower of both ends.
Estimate worse_of(const LayerProbes& layer, const OverTexts& over_texts) {
  const Interval of_token = over_texts(layer.right[token], token);
  const Interval of_position = over_texts(layer.right[position], position);
  return {.value = std::min(rate_of(layer.right[token]), rate_of(layer.right[position])),
          .interval = {std::min(of_token.low, of_position.low), std::min(of_token.high, of_position.high)}};
}

/// One part read behind one layer, and its control task there.
void add_layer(const Probed& probed, size_t part, size_t layer, const OverTexts& over_texts, Numbers& numbers) {
  const auto& right = probed.trained[layer].right[part];
  const std::string name = name_behind(part, layer);
  const FormatArgs where{{"where", words_of_place(layer)}};
  const double own_row = rate_of(probed.own_row.right[part]);
  const FormatArgs counted{{"where", words_of_place(layer)}, {"cases", right.size()}};
  numbers.add(NumberBuilder(name, kParts[part].label(counted), rate_of(right))
                  .interval(over_texts(right, part))
                  .null(probed.majority[part], most_frequent())
                  .control(own_row, row_alone(part)));
  numbers.add(NumberBuilder(fmt::format("{}_{}", name, kUntrained.name), kUntrained.label(where),
                            rate_of(probed.untrained[layer].right[part]))
                  .null(probed.majority[part], most_frequent())
                  .control(own_row, row_alone(part)));
  numbers.add(NumberBuilder(fmt::format("{}_{}", name, kControlTask.name), kControlTask.label(where),
                            probed.trained[layer].control_task[part])
                  .null(majority(probed.tasks.controls[part]), most_frequent())
                  .control(probed.own_row.control_task[part], row_alone(dealt_to(part))));
}

/// Behind which layers both are read.
struct LayersRead {
  double all = 0;        ///< how many
  double beginning = 0;  ///< how many from the first on without a gap: the last of them

  void add(bool is_read, size_t layer) {
    if (!is_read) return;
    ++all;
    if (beginning == static_cast<double>(layer - 1)) ++beginning;
  }
};

/// Behind how many layers both are read, and up to which: by the accuracies, and by the ends of their intervals.
void add_layers_reading_both(const Probed& probed, const OverTexts& over_texts, Numbers& numbers) {
  const auto layers = static_cast<double>(probed.trained.size() - 1);
  LayersRead read;
  LayersRead certain;
  LayersRead possible;
  for (size_t layer = 1; layer < probed.trained.size(); ++layer) {
    const Estimate worse = worse_of(probed.trained[layer], over_texts);
    read.add(worse.value >= kReads, layer);
    certain.add(worse.interval.low >= kReads, layer);
    possible.add(worse.interval.high >= kReads, layer);
  }
  LayerProbes token_row;
  token_row.right[token] = probed.own_row.right[token];
  token_row.right[position] = probed.position_of_tokens;
  const auto everywhere = [&](const LayerProbes& probes) {
    const Estimate worse = worse_of(probes, over_texts);
    const auto all = [&](double accuracy) { return accuracy >= kReads ? layers : 0; };
    return Estimate{.value = all(worse.value), .interval = {all(worse.interval.low), all(worse.interval.high)}};
  };
  const Estimate null = everywhere(token_row);
  const Estimate control = everywhere(probed.own_row);
  const auto add = [&](const NumberName& name, const Estimate& own) {
    numbers.add(NumberBuilder(name, own, {{"layers", layers}, {"reads", kReads}})
                    .null(null, localize("probes.beside.token_row"))
                    .control(control, localize("probes.beside.own_rows")));
  };
  add(kLayersReadingBoth, {read.all, {certain.all, possible.all}});
  add(kUpToLayer, {read.beginning, {certain.beginning, possible.beginning}});
}

void add_inputs(const Probed& probed, const OverTexts& over_texts, Numbers& numbers) {
  const double own_rows = std::min(rate_of(probed.own_row.right[token]), rate_of(probed.own_row.right[position]));
  const double guessing = std::min(probed.majority[token], probed.majority[position]);
  const auto add = [&](const NumberName& name, const LayerProbes& input) {
    numbers.add(NumberBuilder(name, worse_of(input, over_texts))
                    .null(guessing, most_frequent())
                    .control(own_rows, localize("probes.beside.own_rows")));
  };
  add(kWorseAtInput, probed.trained.front());
  add(kWorseAtInputUntrained, probed.untrained.front());
}

/// Accuracy less the control task's, mean over the layers.
void add_selectivity(const Probed& probed, size_t part, Numbers& numbers) {
  const auto mean_of = [&](const std::vector<LayerProbes>& layers) {
    double sum = 0;
    for (size_t layer = 1; layer < layers.size(); ++layer) {
      sum += rate_of(layers[layer].right[part]) - layers[layer].control_task[part];
    }
    return sum / static_cast<double>(layers.size() - 1);
  };
  numbers.add(NumberBuilder(kSelectivity.of(kParts[part].name), kSelectivity.label({{"part", words_of_part(part)}}),
                            mean_of(probed.trained))
                  .null(0, localize("probes.beside.by_heart"))
                  .control(mean_of(probed.untrained), localize("probes.beside.untrained_model")));
}

/// "token_input", "position_layer_3".
void add_erased(const Probed& probed, const ErasedPlace& place, size_t part, const Conditions& conditions,
                Numbers& numbers) {
  const ErasedPart& erased = place.parts[part];
  const std::string where = name_behind(part, place.layer);
  const FormatArgs args{{"part", words_of_part(part)}, {"where", words_of_place(place.layer)}};
  numbers.add(NumberBuilder(kErasedAccuracy, where, rate_of(erased.right), args)
                  .null(rate_of(probed.trained[place.layer].right[part]), localize("probes.beside.not_erased"))
                  .control(probed.majority[part], most_frequent()));
  const auto interval =
      bootstrap(erased.changes.size(),
                [&](std::span<const size_t> chosen) {
                  double sum = 0;
                  for (const size_t text : chosen) sum += erased.changes[text];
                  return sum / static_cast<double>(chosen.size());
                },
                {.seed = conditions.seed, .name = "probes: erased", .count = size_of(conditions).resamplings});
  numbers.add(NumberBuilder(kErasedChange, where, mean(erased.changes), args)
                  .interval(interval)
                  .null(mean(erased.null), localize("probes.beside.dealt"))
                  .control(mean(place.everything), localize("probes.beside.everything")));
}

}  // namespace

size_t judged_texts(const Probed& probed, size_t part) {
  std::set<size_t> texts;
  for (const auto row : probed.tasks.probes[part].test) texts.insert(probed.text[static_cast<size_t>(row)]);
  return texts.size();
}

void add_numbers(const Probed& probed, size_t parts, const Conditions& conditions, Numbers& numbers) {
  const OverTexts over_texts(probed, conditions);
  add_layers_reading_both(probed, over_texts, numbers);
  add_inputs(probed, over_texts, numbers);
  for (size_t part = 0; part < parts; ++part) {
    for (size_t layer = 0; layer < probed.trained.size(); ++layer) add_layer(probed, part, layer, over_texts, numbers);
    numbers.add(
        NumberBuilder(kParts[part].of(kMajority), kMajority.label({{"part", words_of_part(part)}}),
                      probed.majority[part])
            .null(1 / static_cast<double>(probed.tasks.probes[part].classes), localize("probes.beside.as_likely"))
            .control(rate_of(probed.own_row.right[part]), row_alone(part)));
    add_selectivity(probed, part, numbers);
    for (const auto& place : probed.erased) add_erased(probed, place, part, conditions, numbers);
  }
}

}  // namespace probes

}  // namespace summand::lab
