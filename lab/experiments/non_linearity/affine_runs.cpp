#include "lab/experiments/non_linearity/affine_runs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "base/random_stream.hpp"
#include "engine/run/run.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;
using Rows = CoordinateFit::Rows;

constexpr double kDisturbance = 0.5;  // of the deviation of a token's sum
constexpr double kMostError = 1e3;    // a model that ran away
constexpr size_t kPart = 32;          // vectors at a time: their logits take memory

/// Half of the texts: the even or the odd ones.
Texts half_of(const Texts& texts, size_t which) {
  Texts half;
  for (size_t text = which; text < texts.batch.texts(); text += 2) add_text(half, texts, text);
  return half;
}

Table rows_at(const Table& states, const std::vector<size_t>& tokens) {
  Table rows(static_cast<Index>(tokens.size()), states.cols());
  for (size_t i = 0; i < tokens.size(); ++i)
    rows.row(static_cast<Index>(i)) = states.row(static_cast<Index>(tokens[i]));
  return rows;
}

Table first_rows(const Table& states, const model::Batch& batch) {
  std::vector<size_t> first;
  for (size_t text = 0; text < batch.texts(); ++text) first.push_back(batch.offsets[text]);
  return rows_at(states, first);
}

/// What a fit on some rows makes of others.
Table fitted(const Table& fit_inputs, const Table& fit_outputs, const Table& inputs) {
  CoordinateFit fit;
  fit.add(fit_inputs.cast<float>(), fit_outputs.cast<float>());
  return fit.predict(inputs.cast<float>()).cast<double>();
}

/// Cross-entropy of the labels and whether they win, from what the decoder is given.
MaskedScores scores_of(const PredictionHead& head, const Table& transformed, const std::vector<int32_t>& labels) {
  MaskedScores scores;
  for (size_t first = 0; first < labels.size(); first += kPart) {
    const auto count = static_cast<Index>(std::min(kPart, labels.size() - first));
    const Table logits = (transformed.middleRows(static_cast<Index>(first), count) * head.rows.transpose()).rowwise() +
                         head.bias.transpose();
    for (Index i = 0; i < count; ++i) {
      const auto label = static_cast<Index>(labels[first + static_cast<size_t>(i)]);
      Index winner = 0;
      const double largest = logits.row(i).maxCoeff(&winner);
      const double loss = largest + std::log((logits.row(i).array() - largest).exp().sum()) - logits(i, label);
      scores.losses.push_back(std::isfinite(loss) ? loss : kMostError);
      scores.right.push_back(winner == label);
    }
  }
  return scores;
}

double mean_change(const Table& own, const Table& replaced) {
  return mean(
      changes_of({.states = {}, .vectors = own, .scores = {}}, {.states = {}, .vectors = replaced, .scores = {}}));
}

}  // namespace

AffineTexts affine_texts(const Subject& subject, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "non-linearity: texts");
  const AffineSize& size = conditions.quick ? kQuickAffine : kFullAffine;
  const size_t longest = std::min<size_t>(size.longest, subject.model->position_limit());
  const Texts texts = with_words(texts_of(subject, {.most = size.texts, .longest = longest, .shortest = 2}, stream));
  AffineTexts chosen{
      .fit = half_of(texts, 0), .measured = half_of(texts, 1), .few = {}, .masked_fit = {}, .masked = {}};
  if (!lacks_masked_language(subject)) {
    const MaskedTexts masked_fit = mask_texts(subject, chosen.fit, stream);
    chosen.fit.batch = masked_fit.batch;
    chosen.masked_fit = masked_fit.masked;
    chosen.masked = mask_texts(subject, chosen.measured, stream);
    chosen.measured.batch = chosen.masked->batch;
  }
  const size_t few = std::min(size.few, chosen.measured.batch.texts());
  for (size_t text = 0; text < few; ++text) add_text(chosen.few, chosen.measured, text);
  return chosen;
}

std::vector<double> changes_of(const AffineResults& own, const AffineResults& replaced) {
  const Vector cosines = cosines_by_row(own.vectors, replaced.vectors);
  std::vector<double> changes;
  for (const double cosine : cosines) changes.push_back(std::isfinite(cosine) ? std::max(0.0, 1 - cosine) : 1);
  return changes;
}

double relative_error(const AffineResults& own, const AffineResults& replaced) {
  const double spread = centred(own.states).norm();
  const double error = (replaced.states - own.states).norm() / (spread > 0 ? spread : 1);
  return std::isfinite(error) ? std::min(error, kMostError) : kMostError;
}

AffineRuns::AffineRuns(const Subject& subject, const AffineTexts& texts, uint64_t seed)
    : subject_(subject), texts_(texts), seed_(seed), inputs_(subject) {
  AffinePass pass(inputs_, texts.fit, fits_);
  fit_states_ = states(texts.fit, pass);
  if (texts.masked) head_ = prediction_head(subject);
}

Table AffineRuns::states(const Texts& texts, AffinePass& pass) const {
  const model::Batch& batch = texts.batch;
  Table all(static_cast<Index>(batch.tokens()), static_cast<Index>(subject_.model->config().hidden_size));
  const auto take = [&](size_t text, const engine::TextResult& result) {
    const auto& view = result.hidden_states.front();
    for (size_t row = 0; row < view.rows(); ++row) {
      std::ranges::copy(view.row(row), all.row(static_cast<Index>(batch.offsets[text] + row)).data());
    }
  };
  subject_.model->engine().run(batch, {.hidden_states = {layers()}, .on_text = take, .taps = &pass});
  return all;
}

AffineResults AffineRuns::results(const Texts& texts, const Replacement& replacement) const {
  AffinePass pass(inputs_, texts, fits_, replacement);
  AffineResults found{.states = states(texts, pass), .vectors = {}, .scores = {}};
  found.vectors = sentence_vectors(found.states, texts.batch, sentence_vector_of(subject_));
  return found;
}

AffineResults AffineRuns::run(const Replacement& replacement) const {
  auto found = results(texts_.measured, replacement);
  if (head_) {
    const auto transformed = head_->transformed(rows_at(found.states, texts_.masked->masked));
    found.scores = scores_of(*head_, transformed, texts_.masked->labels);
  }
  return found;
}

AffineResults AffineRuns::run_vectors(const Replacement& replacement) const {
  return results(texts_.measured, replacement);
}

AffineResults AffineRuns::run_few(const Replacement& replacement) const {
  return results(texts_.few, replacement);
}

Table AffineRuns::disturbed(const Replacement& replacement, const Disturbance& disturbance) const {
  const Texts& texts = texts_.measured;
  AffinePass pass(inputs_, texts, fits_, replacement);
  pass.disturb = [&](size_t text, MatrixView<float> sum) {
    RandomStream first(seed_, "non-linearity: first direction " + std::to_string(text));
    RandomStream second(seed_, "non-linearity: second direction " + std::to_string(text));
    for (size_t row = 0; row < sum.rows(); ++row) {
      if (texts.special[texts.batch.offsets[text] + row]) continue;
      const std::vector<double> values(sum.row(row).begin(), sum.row(row).end());
      const double size = kDisturbance * standard_deviation(values);
      for (float& value : sum.row(row)) {
        const double u = first.normal();
        const double v = second.normal();
        value += static_cast<float>(size * ((disturbance.first ? u : 0) + (disturbance.second ? v : 0)));
      }
    }
  };
  return states(texts, pass);
}

double SecondDifferences::curvature(std::span<const size_t> texts) const {
  double bends = 0;
  double moves = 0;
  for (const size_t text : texts) {
    bends += bent[text];
    moves += moved[text];
  }
  return moves > 0 ? bends / moves : 0;
}

SecondDifferences AffineRuns::second_differences(const Replacement& replacement) const {
  const Table none = disturbed(replacement, {});
  const Table first = disturbed(replacement, {.first = true});
  const Table second = disturbed(replacement, {.second = true});
  const Table both = disturbed(replacement, {.first = true, .second = true});
  SecondDifferences differences;
  for (size_t text = 0; text < texts_.measured.batch.texts(); ++text) {
    const auto words = ordinary_words(texts_.measured, text);
    const auto begin = static_cast<Index>(texts_.measured.batch.offsets[text]);
    const auto length = static_cast<Index>(texts_.measured.batch.length(text));
    const auto norm_of = [&](const Table& difference) {
      return difference.middleRows(begin, length)(words, Eigen::all).norm();
    };
    const double bent = norm_of(both - first - second + none);
    const double moved = norm_of(first - none) + norm_of(second - none);
    const bool ran_away = !std::isfinite(bent) || !std::isfinite(moved);
    differences.bent.push_back(ran_away ? kMostError : bent);
    differences.moved.push_back(ran_away ? 1 : moved);
  }
  return differences;
}

std::optional<PoolerChanges> AffineRuns::pooler() const {
  const auto& checkpoint = subject_.model->checkpoint();
  if (checkpoint.parts.pooler == model::Pooler::absent) return {};
  const Dense dense(checkpoint.weights, "pooler.dense");
  const auto pass = results(texts_.measured, {});
  const Table fit_inputs = dense(first_rows(fit_states_, texts_.fit.batch));
  const Table inputs = dense(first_rows(pass.states, texts_.measured.batch));
  const Table fit_outputs = activated(model::Activation::tanh, fit_inputs);
  const Table outputs = activated(model::Activation::tanh, inputs);
  const Table constant = column_means(fit_outputs).transpose().replicate(outputs.rows(), 1);
  const Table refitted = activated(model::Activation::tanh, fitted(fit_inputs, fit_inputs, inputs));
  return PoolerChanges{.replaced = mean_change(outputs, fitted(fit_inputs, fit_outputs, inputs)),
                       .null = mean_change(outputs, refitted),
                       .control = mean_change(outputs, constant)};
}

std::optional<HeadChanges> AffineRuns::head() const {
  if (!head_) return {};
  const auto& labels = texts_.masked->labels;
  const Table fit_dense = head_->dense(rows_at(fit_states_, texts_.masked_fit));
  const Table dense = head_->dense(rows_at(results(texts_.measured, {}).states, texts_.masked->masked));
  const Table fit_active = activated(head_->activation, fit_dense);
  const Table active = activated(head_->activation, dense);
  const Table active_fitted = fitted(fit_dense, fit_active, dense);
  const Table fit_norm = normalised(head_->norm, fit_active);
  const auto norm_fitted = [&](const Table& rows) {
    return fitted(less_row_means(fit_active), fit_norm, less_row_means(rows));
  };
  const auto loss = [&](const Table& transformed) { return scores_of(*head_, transformed, labels).mean_loss(); };
  const double own = loss(normalised(head_->norm, active));
  const Table refitted = activated(head_->activation, fitted(fit_dense, fit_dense, dense));
  return HeadChanges{.gelu = loss(normalised(head_->norm, active_fitted)) - own,
                     .norm = loss(norm_fitted(active)) - own,
                     .both = loss(norm_fitted(active_fitted)) - own,
                     .null = loss(normalised(head_->norm, refitted)) - own};
}

}  // namespace summand::lab
