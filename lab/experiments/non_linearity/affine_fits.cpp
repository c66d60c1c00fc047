#include "lab/experiments/non_linearity/affine_fits.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lab/core/localize.hpp"
#include "lab/subject/subject.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;
using model::TapPoint;
using Rows = CoordinateFit::Rows;

Rows copied(MatrixView<const float> view) {
  Rows rows(static_cast<Index>(view.rows()), static_cast<Index>(view.columns()));
  for (size_t row = 0; row < view.rows(); ++row) {
    std::ranges::copy(view.row(row), rows.row(static_cast<Index>(row)).data());
  }
  return rows;
}

/// Those that are not left out.
Rows kept_rows(const Rows& rows, const std::vector<bool>& left_out) {
  std::vector<Index> kept;
  for (size_t i = 0; i < left_out.size(); ++i) {
    if (!left_out[i]) kept.push_back(static_cast<Index>(i));
  }
  return rows(kept, Eigen::all);
}

Rows less_means(const Rows& rows) {
  return rows.colwise() - rows.rowwise().mean();
}

SourceInputs::Map map_of(const model::Weights& weights, size_t layer, const std::string& name) {
  const auto& tensor = weights.at(model::layer_parameter(layer, name + ".weight"));
  const auto values = model::to_floats(tensor);
  const auto bias = model::to_floats(weights.at(model::layer_parameter(layer, name + ".bias")));
  return {.weight = Eigen::Map<const Rows>(values.data(), static_cast<Index>(tensor.shape[0]),
                                           static_cast<Index>(tensor.shape[1])),
          .bias = Eigen::Map<const Eigen::RowVectorXf>(bias.data(), static_cast<Index>(bias.size()))};
}

double mean_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value};
  return sum / static_cast<double>(values.size());
}

}  // namespace

NumberName name_of(Source source) {
  switch (source) {
    case Source::gelu:
      return {"non_linearity", "gelu"};
    case Source::self_attention:
      return {"non_linearity", "self_attention"};
    case Source::softmax:
      return {"non_linearity", "softmax"};
    case Source::attention_norm:
      return {"non_linearity", "attention_norm"};
    case Source::output_norm:
      return {"non_linearity", "output_norm"};
    case Source::input_norm:
      return {"non_linearity", "input_norm"};
    case Source::value:
      return {"non_linearity", "value"};
  }
  __builtin_unreachable();
}

LocalizedText words_of(Source source) {
  return name_of(source).label();
}

LocalizedText words_of(Tokens tokens) {
  switch (tokens) {
    case Tokens::all:
      return localize("non_linearity.tokens.all");
    case Tokens::words:
      return localize("non_linearity.tokens.words");
    case Tokens::first:
      return localize("non_linearity.tokens.first");
  }
  __builtin_unreachable();
}

void CoordinateFit::add(const Rows& inputs, const Rows& outputs) {
  if (inputs.rows() == 0) return;
  if (sums_.size() == 0) sums_ = Eigen::ArrayXXd::Zero(4, inputs.cols());
  const Eigen::ArrayXXd in = inputs.cast<double>();
  const Eigen::ArrayXXd out = outputs.cast<double>();
  sums_.row(0) += in.colwise().sum();
  sums_.row(1) += out.colwise().sum();
  sums_.row(2) += in.square().colwise().sum();
  sums_.row(3) += (in * out).colwise().sum();
  count_ += static_cast<double>(inputs.rows());
}

Rows CoordinateFit::predict(const Rows& inputs) const {
  const Eigen::ArrayXXd means = sums_ / count_;
  const Eigen::ArrayXd variance = (means.row(2) - means.row(0).square()).transpose();
  const Eigen::ArrayXd covariance = (means.row(3) - means.row(0) * means.row(1)).transpose();
  const Eigen::ArrayXd slope = (variance > 1e-12 * (1e-12 + means.row(2).transpose())).select(covariance / variance, 0);
  const Eigen::ArrayXd offset = means.row(1).transpose() - slope * means.row(0).transpose();
  const Eigen::ArrayXXd predicted =
      (inputs.cast<double>().array().rowwise() * slope.transpose()).rowwise() + offset.transpose();
  return predicted.cast<float>().matrix();
}

void HeadFit::add(MatrixView<const float> scores, MatrixView<const float> weights, const std::vector<bool>& left_out) {
  const auto n = static_cast<double>(weights.columns());
  for (size_t i = 0; i < weights.rows(); ++i) {
    if (!left_out.empty() && left_out[i]) continue;
    const double middle = mean_of(scores.row(i));
    for (size_t j = 0; j < weights.columns(); ++j) {
      const double score = double{scores(i, j)} - middle;
      scores_squared += score * score;
      scores_times_weights += score * (n * double{weights(i, j)} - 1);
    }
    rows += 1;
    self += double{weights(i, i)};
    first += double{weights(i, 0)};
    last += double{weights(i, weights.columns() - 1)};
  }
}

void HeadFit::put_slope(MatrixView<const float> scores, MatrixView<float> weights) const {
  const double slope = scores_squared > 0 ? scores_times_weights / scores_squared : 0;
  const auto n = static_cast<double>(weights.columns());
  for (size_t i = 0; i < weights.rows(); ++i) {
    const double middle = mean_of(scores.row(i));
    for (size_t j = 0; j < weights.columns(); ++j) {
      weights(i, j) = static_cast<float>((1 + slope * (double{scores(i, j)} - middle)) / n);
    }
  }
}

void HeadFit::put_pattern(MatrixView<float> weights) const {
  const size_t n = weights.columns();
  for (size_t i = 0; i < weights.rows(); ++i) {
    const auto row = weights.row(i);
    std::ranges::fill(row, -1.0F);  // not set yet
    row[n - 1] = static_cast<float>(last / rows);
    row[0] = static_cast<float>(first / rows);
    row[i] = static_cast<float>(self / rows);
    float set = 0;
    size_t others = 0;
    for (const float weight : row) {
      if (weight < 0) ++others;
      set += std::max(weight, 0.0F);
    }
    const bool shares = others > 0 && set < 1;
    for (float& weight : row) {
      if (weight < 0)
        weight = shares ? (1 - set) / static_cast<float>(others) : 0;
      else if (!shares)
        weight /= set;
    }
  }
}

SourceInputs::SourceInputs(const Subject& subject)
    : input_norm(subject.model->checkpoint().weights, "embeddings.LayerNorm") {
  const auto& weights = subject.model->checkpoint().weights;
  for (size_t layer = 0; layer < static_cast<size_t>(subject.model->config().num_hidden_layers); ++layer) {
    const auto norm = [&](const char* name) { return NormOutputs(weights, model::layer_parameter(layer, name)); };
    layers.push_back({.value = map_of(weights, layer, "attention.self.value"),
                      .attention_output = map_of(weights, layer, "attention.output.dense"),
                      .intermediate = map_of(weights, layer, "intermediate.dense"),
                      .output = map_of(weights, layer, "output.dense"),
                      .attention_norm = norm("attention.output.LayerNorm"),
                      .output_norm = norm("output.LayerNorm")});
  }
}

const NormOutputs* SourceInputs::outputs_of(Source source, size_t layer) const {
  switch (source) {
    case Source::input_norm:
      return &input_norm;
    case Source::attention_norm:
      return &layers[layer].attention_norm;
    case Source::output_norm:
      return &layers[layer].output_norm;
    case Source::gelu:
    case Source::self_attention:
    case Source::softmax:
    case Source::value:
      return nullptr;
  }
  __builtin_unreachable();
}

bool AffinePass::wants(TapPoint point) const {
  switch (point) {
    case TapPoint::scores:
      return wants_attention(Source::softmax);
    case TapPoint::attention:
      return wants_attention(Source::softmax) || wants_attention(Source::self_attention);
    case TapPoint::sum:
    case TapPoint::input:
    case TapPoint::value:
    case TapPoint::context:
    case TapPoint::attention_output:
    case TapPoint::intermediate:
    case TapPoint::layer_output:
      return true;
    case TapPoint::token_part:
    case TapPoint::position_part:
    case TapPoint::segment_part:
    case TapPoint::query:
    case TapPoint::key:
      return false;
  }
  __builtin_unreachable();
}

void AffinePass::visit(const model::TapSite& site, MatrixView<float> values) {
  const size_t layer = site.layer;
  switch (site.point) {
    case TapPoint::sum:
      if (disturb) disturb(site.text, values);
      sum_ = copied(values);
      return;
    case TapPoint::input:
      coordinate(Source::input_norm, site, values, [&] { return less_means(sum_); });
      hidden_ = copied(values);
      return;
    case TapPoint::value:
      coordinate(Source::value, site, values, [&] { return inputs_.layers[layer].value(hidden_); });
      return;
    case TapPoint::scores:
      scores_ = copied(values);
      return;
    case TapPoint::attention:
      attention(site, values);
      return;
    case TapPoint::context:
      context_ = copied(values);
      return;
    case TapPoint::attention_output:
      coordinate(Source::attention_norm, site, values,
                 [&] { return less_means(inputs_.layers[layer].attention_output(context_) + hidden_); });
      attention_output_ = copied(values);
      return;
    case TapPoint::intermediate:
      coordinate(Source::gelu, site, values, [&] { return inputs_.layers[layer].intermediate(attention_output_); });
      intermediate_ = copied(values);
      return;
    case TapPoint::layer_output:
      coordinate(Source::output_norm, site, values,
                 [&] { return less_means(inputs_.layers[layer].output(intermediate_) + attention_output_); });
      hidden_ = copied(values);
      return;
    case TapPoint::token_part:
    case TapPoint::position_part:
    case TapPoint::segment_part:
    case TapPoint::query:
    case TapPoint::key:
      return;
  }
}

std::vector<bool> AffinePass::left_out(size_t text, Tokens tokens) const {
  const size_t begin = texts_.batch.offsets[text];
  std::vector<bool> out(texts_.batch.length(text), false);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = (tokens == Tokens::words && texts_.special[begin + i]) || (tokens == Tokens::first && i > 0);
  }
  return out;
}

void AffinePass::move(MatrixView<float> values, const Rows& to, const std::vector<bool>& left_out, double dose) const {
  const auto part = static_cast<float>(dose);
  for (size_t row = 0; row < values.rows(); ++row) {
    if (left_out[row]) continue;
    for (size_t column = 0; column < values.columns(); ++column) {
      float& value = values(row, column);
      const float fitted = to(static_cast<Index>(row), static_cast<Index>(column));
      value = dose == 1 ? fitted : value + part * (fitted - value);
    }
  }
}

void AffinePass::learn(Source source, const model::TapSite& site, const Rows& input, const Rows& output) {
  const std::pair place{source, site.layer};
  const auto special = left_out(site.text, Tokens::words);
  learnt_->all.coordinates[place].add(input, output);
  learnt_->words.coordinates[place].add(kept_rows(input, special), kept_rows(output, special));
  Deviations& deviations = learnt_->deviations[place];
  for (Index row = 0; row < input.rows(); ++row) {
    const double deviation = double{input.row(row).norm()} / std::sqrt(static_cast<double>(input.cols()));
    if (row == 0) {
      deviations.first += deviation;
      ++deviations.texts;
    } else if (!special[static_cast<size_t>(row)]) {
      deviations.words += deviation;
      ++deviations.count;
    }
  }
}

Rows AffinePass::fitted(const AffineFits::OfTokens& fits, const std::pair<Source, size_t>& place,
                        const Rows& input) const {
  const Rows rows = fits.coordinates.at(place).predict(input);
  const NormOutputs* outputs = inputs_.outputs_of(place.first, place.second);
  return outputs == nullptr ? rows : Rows(outputs->nearest(rows.cast<double>()).cast<float>());
}

void AffinePass::coordinate(Source source, const model::TapSite& site, MatrixView<float> values,
                            const std::function<Rows()>& input) {
  const std::pair place{source, site.layer};
  if (learnt_ != nullptr) {
    learn(source, site, input(), copied(values));
    return;
  }
  if (replacement_.before.contains(source)) {
    move(values, fitted(fits_.words, place, input()), left_out(site.text, Tokens::words), 1);
  }
  if (replacement_.at(source, site.layer)) {
    const Tokens tokens = replacement_.tokens;
    move(values, fitted(fits_.of(tokens), place, input()), left_out(site.text, tokens), replacement_.dose);
  }
}

void AffinePass::attention(const model::TapSite& site, MatrixView<float> weights) {
  const std::pair place{site.layer, site.head};
  const MatrixView<const float> scores(scores_.data(), weights.rows(), weights.columns());
  if (learnt_ != nullptr) {
    learnt_->all.heads[place].add(scores, weights);
    learnt_->words.heads[place].add(scores, weights, left_out(site.text, Tokens::words));
    return;
  }
  const auto replace = [&](Source source, Tokens tokens, double dose) {
    Rows fitted(static_cast<Index>(weights.rows()), static_cast<Index>(weights.columns()));
    const MatrixView<float> view(fitted.data(), weights.rows(), weights.columns());
    const HeadFit& fit = fits_.of(tokens).heads.at(place);
    if (source == Source::self_attention) {
      fit.put_pattern(view);
    } else {
      fit.put_slope(scores, view);
    }
    move(weights, fitted, left_out(site.text, tokens), dose);
  };
  if (replacement_.before.contains(Source::self_attention)) replace(Source::self_attention, Tokens::words, 1);
  for (const Source source : {Source::self_attention, Source::softmax}) {
    if (replacement_.at(source, site.layer)) {
      replace(source, replacement_.tokens, replacement_.dose);
      return;
    }
  }
}

}  // namespace summand::lab
