#include "lab/experiments/non_linearity/affine_fits.hpp"
#include "lab/subject/subject.hpp"

#include <algorithm>

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

void put(const Rows& rows, MatrixView<float> view) {
  for (size_t row = 0; row < view.rows(); ++row) {
    const auto from = rows.row(static_cast<Index>(row));
    std::copy(from.data(), from.data() + from.size(), view.row(row).begin());
  }
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

Words words_of(Source source) {
  return name_of(source).label();
}

void CoordinateFit::add(const Rows& inputs, const Rows& outputs) {
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

void HeadFit::add(MatrixView<const float> scores, MatrixView<const float> weights) {
  const auto n = static_cast<double>(weights.columns());
  for (size_t i = 0; i < weights.rows(); ++i) {
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

SourceInputs::SourceInputs(const Subject& subject) {
  const auto& weights = subject.model->checkpoint().weights;
  for (size_t layer = 0; layer < static_cast<size_t>(subject.model->config().num_hidden_layers); ++layer) {
    layers.push_back({.value = map_of(weights, layer, "attention.self.value"),
                      .attention_output = map_of(weights, layer, "attention.output.dense"),
                      .intermediate = map_of(weights, layer, "intermediate.dense"),
                      .output = map_of(weights, layer, "output.dense")});
  }
}

bool AffinePass::wants(TapPoint point) const {
  switch (point) {
    case TapPoint::scores:
      return learnt_ != nullptr || replacement_.sources.contains(Source::softmax);
    case TapPoint::attention:
      return learnt_ != nullptr || replacement_.sources.contains(Source::softmax) ||
             replacement_.sources.contains(Source::self_attention);
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
      coordinate(Source::input_norm, 0, values, [&] { return less_means(sum_); });
      hidden_ = copied(values);
      return;
    case TapPoint::value:
      coordinate(Source::value, layer, values, [&] { return inputs_.layers[layer].value(hidden_); });
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
      coordinate(Source::attention_norm, layer, values,
                 [&] { return less_means(inputs_.layers[layer].attention_output(context_) + hidden_); });
      attention_output_ = copied(values);
      return;
    case TapPoint::intermediate:
      coordinate(Source::gelu, layer, values, [&] { return inputs_.layers[layer].intermediate(attention_output_); });
      intermediate_ = copied(values);
      return;
    case TapPoint::layer_output:
      coordinate(Source::output_norm, layer, values,
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

void AffinePass::coordinate(Source source, size_t layer, MatrixView<float> values, const std::function<Rows()>& input) {
  if (learnt_ != nullptr) {
    learnt_->coordinates[{source, layer}].add(input(), copied(values));
  } else if (replacement_.at(source, layer)) {
    put(fits_.coordinates.at({source, layer}).predict(input()), values);
  }
}

void AffinePass::attention(const model::TapSite& site, MatrixView<float> weights) {
  const MatrixView<const float> scores(scores_.data(), weights.rows(), weights.columns());
  if (learnt_ != nullptr) {
    learnt_->heads[{site.layer, site.head}].add(scores, weights);
  } else if (replacement_.at(Source::self_attention, site.layer)) {
    fits_.heads.at({site.layer, site.head}).put_pattern(weights);
  } else if (replacement_.at(Source::softmax, site.layer)) {
    fits_.heads.at({site.layer, site.head}).put_slope(scores, weights);
  }
}

}  // namespace summand::lab
