#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/position_strength/strength_runs.hpp"
#include "lab/experiments/position_strength/text_logits.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// A model of the subject's with other positions, and what their strength does to its output.
class StrengthOutputs {
 public:
  StrengthOutputs(const Subject& subject, Table positions, Texts texts, const Conditions& conditions)
      : subject_(subject), positions_(std::move(positions)), threads_(conditions.threads), undisturbed_([&] {
          RandomStream stream(conditions.seed, "position strength: masks");
          return Undisturbed(subject, engine(1), std::move(texts), stream);
        }()) {}

  [[nodiscard]] engine::Engine engine(double strength, StrengthenedRows rows = StrengthenedRows::all_but_row_0) const {
    return engine_with_positions(subject_, strengthened(positions_, rows, strength), threads_);
  }
  [[nodiscard]] OutputChange change(double strength, StrengthenedRows rows = StrengthenedRows::all_but_row_0) const {
    return undisturbed_.change(engine(strength, rows));
  }
  [[nodiscard]] const Undisturbed& undisturbed() const { return undisturbed_; }
  /// How far attention moves by layer, over the divergence from uniform attention.
  [[nodiscard]] std::vector<double> moved(const LayerAttention& own, double strength, const model::Batch& batch) const {
    auto moved = divergence_by_layer(own, layer_attention(engine(strength), batch));
    const auto uniform = divergence_from_uniform_by_layer(own);
    for (size_t layer = 0; layer < moved.size(); ++layer)
      moved[layer] = uniform[layer] > 0 ? moved[layer] / uniform[layer] : 0;
    return moved;
  }

 private:
  const Subject& subject_;
  Table positions_;
  int threads_;
  Undisturbed undisturbed_;
};

/// The model, one whose positions are noise about their mean row, as long as tokens are about theirs, and one that has
/// the mean row everywhere.
struct StrengthModels {
  StrengthOutputs own, loud, without;

  StrengthModels(const Subject& subject, const Texts& texts, const Conditions& conditions)
      : own(subject, subject.positions, texts, conditions),
        loud(subject, noise(subject, conditions), texts, conditions),
        without(subject, strengthened(subject.positions, StrengthenedRows::all, 0), texts, conditions) {}

  static Table noise(const Subject& subject, const Conditions& conditions) {
    RandomStream stream(conditions.seed, "position strength: noise");
    Table rows = white_noise(
        {static_cast<size_t>(subject.positions.rows()), static_cast<size_t>(subject.positions.cols())}, stream);
    const Table tokens = reached_tokens(subject);
    const double length = centred(tokens).norm() / std::sqrt(static_cast<double>(tokens.rows()));
    rows *= length / std::sqrt(static_cast<double>(rows.cols()));
    return rows.rowwise() + column_means(subject.positions).transpose();
  }
};

/// What strengths do to sentence vectors, and to the loss where there is a head.
void add_outputs(const StrengthModels& models, const Draws& draws, Numbers& numbers);
/// What they do to the attention of every layer: a number of the last one, and a figure.
void add_layers(const StrengthModels& models, const model::Batch& batch, const Conditions& conditions,
                Findings& findings);
/// What the output loses when terms of the first layer's logits are 0.
void add_zeroed_outputs(const Subject& subject, const FirstLogits& logits, const model::Batch& batch,
                        const Conditions& conditions, Numbers& numbers);

}  // namespace summand::lab
