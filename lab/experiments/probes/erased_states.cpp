#include "lab/experiments/probes/erased_states.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>

#include "base/random_stream.hpp"
#include "engine/run/run.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/watch.hpp"
#include "lab/statistics/linear_erasure.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/table_of.hpp"

namespace summand::lab {

namespace probes {
namespace {

using Eigen::Index;
using Change = std::function<Table(const Table&)>;

/// The first texts, to be run with states changed on the way.
struct FewTexts {
  const Subject& subject;
  model::Batch batch;
  std::vector<bool> special;
  size_t layer = 0;  ///< behind which states are changed

  /// @param change  of ordinary tokens' states; none: the model as it is
  [[nodiscard]] Table vectors(const Change& change) const {
    const auto point = layer == 0 ? model::TapPoint::input : model::TapPoint::layer_output;
    Watch<float> tap({point}, [&](const model::TapSite& site, MatrixView<float> values) {
      if (change && (layer == 0 || site.layer + 1 == layer)) put(site.text, change, values);
    });
    const auto last = static_cast<size_t>(subject.model->config().num_hidden_layers);
    Table states(static_cast<Index>(batch.tokens()), static_cast<Index>(subject.model->config().hidden_size));
    const auto take = [&](size_t text, const engine::TextResult& result) {
      const auto& view = result.hidden_states.front();
      for (size_t row = 0; row < view.rows(); ++row) {
        std::ranges::copy(view.row(row), states.row(static_cast<Index>(batch.offsets[text] + row)).data());
      }
    };
    subject.model->engine().run(batch, {.hidden_states = {last}, .on_text = take, .taps = &tap});
    return sentence_vectors(states, batch, sentence_vector_of(subject));
  }

  void put(size_t text, const Change& change, MatrixView<float> values) const {
    const Table changed = change(table_of(MatrixView<const float>(values)));
    for (size_t row = 0; row < values.rows(); ++row) {
      if (special[batch.offsets[text] + row]) continue;
      for (size_t column = 0; column < values.columns(); ++column) {
        values(row, column) = static_cast<float>(changed(static_cast<Index>(row), static_cast<Index>(column)));
      }
    }
  }
};

FewTexts few_texts(const Erasures& of) {
  const ProbeTexts& texts = of.texts;
  FewTexts chosen{.subject = of.subject, .batch = {}, .special = {}};
  for (size_t text = 0; text < std::min(of.few, texts.batch.texts()); ++text) {
    const size_t begin = texts.batch.offsets[text];
    const size_t length = texts.batch.length(text);
    chosen.batch.add(std::span(texts.batch.ids).subspan(begin, length),
                     std::span(texts.batch.segments).subspan(begin, length));
    for (size_t t = begin; t < begin + length; ++t) chosen.special.push_back(texts.special[t]);
  }
  return chosen;
}

std::vector<double> changes_of(const Table& own, const Table& changed) {
  const Vector cosines = cosines_by_row(own, changed);
  std::vector<double> changes;
  for (const double cosine : cosines) changes.push_back(std::max(0.0, 1 - cosine));
  return changes;
}

std::vector<int32_t> training_labels(const ProbeTask& task) {
  std::vector<int32_t> labels;
  for (const Index row : task.train) labels.push_back(task.labels[static_cast<size_t>(row)]);
  return labels;
}

}  // namespace
}  // namespace probes

std::vector<ErasedPlace> erased_places(const Erasures& of, const Conditions& conditions) {
  using namespace probes;
  FewTexts chosen = few_texts(of);
  const Table own = chosen.vectors({});
  std::vector<ErasedPlace> places;
  for (const size_t layer : {size_t{0}, of.states.size() / 2}) {
    ErasedPlace place{.layer = layer, .parts = {}, .everything = {}};
    chosen.layer = layer;
    const Table features = table_of(of.states[layer].view());
    for (size_t part = 0; part < of.parts; ++part) {
      const ProbeTask& task = of.tasks.probes[part];
      const Table rows = features(task.train, Eigen::all);
      const auto changes_without = [&](const LinearErasure& erasure) {
        return changes_of(own, chosen.vectors([&](const Table& all) { return erasure.erased(all); }));
      };
      auto labels = training_labels(task);
      const LinearErasure erasure(rows, labels, task.classes);
      place.parts[part].right = probe(erasure.erased(features), task);
      place.parts[part].changes = changes_without(erasure);
      RandomStream stream(conditions.seed, "probes: dealt " + std::to_string(part));
      stream.shuffle(std::span(labels));
      place.parts[part].null = changes_without(LinearErasure(rows, labels, task.classes));
    }
    const Vector middle = column_means(features);
    place.everything = changes_of(
        own, chosen.vectors([&](const Table& all) { return Table(middle.transpose().replicate(all.rows(), 1)); }));
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace summand::lab
