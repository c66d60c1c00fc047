#include "serve/live/changed_input.hpp"

#include <cmath>
#include <span>
#include <string>

#include "base/random_stream.hpp"
#include "lab/probing/input_parts.hpp"
#include "model/part_ops.hpp"

namespace summand::serve::live {

namespace {

using Eigen::Index;
using lab::Table;
using lab::Vector;
using model::Addend;

/// v becomes mean + factor · (v - mean) in every row.
void strengthen(MatrixView<float> rows, const std::vector<double>& mean, double factor) {
  for (size_t i = 0; i < rows.rows(); ++i) {
    for (size_t d = 0; d < rows.columns(); ++d) {
      rows(i, d) = static_cast<float>(mean[d] + factor * (double{rows(i, d)} - mean[d]));
    }
  }
}

/// Noise for one row, by its length.
Vector noise_for(const LookRequest& request, Index token, Index width, double norm) {
  RandomStream stream(request.seed, "live noise of token " + std::to_string(token));
  Vector noise(width);
  for (double& x : noise) x = stream.normal();
  return request.noise * norm / std::sqrt(static_cast<double>(width)) * noise;
}

Vector vector_of(const std::vector<double>& row, Index width) {
  if (row.empty()) return Vector::Zero(width);
  return Eigen::Map<const Vector>(row.data(), width);
}

double variance_with(const Vector& part, const Vector& sum) {
  return (part.array() - part.mean()).matrix().dot((sum.array() - sum.mean()).matrix());
}

}  // namespace

ChangedInput::ChangedInput(const api::InputTables& tables, const text::Encoding& encoding, const LookRequest& request)
    : tables_(tables), request_(request) {
  const auto& [token, position, segment] = request.strengths;
  if (token != 1) points_.push_back(TapPoint::token_part);
  if (position != 1) points_.push_back(TapPoint::position_part);
  if (segment != 1) points_.push_back(TapPoint::segment_part);
  if (request.noise > 0) points_.push_back(TapPoint::sum);
  const api::InputChange change{.token = token, .position = position, .segment = segment, .positions = request.order};
  inputs_ = api::input_in_parts(tables, encoding, change);
  const auto count = static_cast<Index>(inputs_.size());
  const auto width = static_cast<Index>(tables.config.hidden_size);
  sums_.resize(count, width);
  for (Index t = 0; t < count; ++t) sums_.row(t) = vector_of(inputs_[static_cast<size_t>(t)].row.total(), width);
  if (request.noise == 0) return;
  noise_.resize(count, width);
  for (Index t = 0; t < count; ++t) noise_.row(t) = noise_for(request, t, width, sums_.row(t).norm());
  sums_ += noise_;
}

void ChangedInput::replace(TapPoint point, MatrixView<float> values) const {
  if (point == TapPoint::token_part) strengthen(values, tables_.token_mean, request_.strengths.token);
  if (point == TapPoint::position_part) strengthen(values, tables_.position_mean, request_.strengths.position);
  if (point == TapPoint::segment_part) strengthen(values, tables_.segment_mean, request_.strengths.segment);
  if (point != TapPoint::sum) return;
  for (size_t t = 0; t < values.rows(); ++t) {
    double square = 0;
    for (const float x : values.row(t)) square += double{x} * double{x};
    const auto width = static_cast<Index>(values.columns());
    const Vector noise = noise_for(request_, static_cast<Index>(t), width, std::sqrt(square));
    for (size_t d = 0; d < values.columns(); ++d) {
      values(t, d) = static_cast<float>(double{values(t, d)} + noise(static_cast<Index>(d)));
    }
  }
}

SumInParts ChangedInput::parts(size_t token) const {
  const Vector sum = sums_.row(static_cast<Index>(token)).transpose();
  const double variance = variance_with(sum, sum);
  const auto& row = inputs_[token].row;
  const auto share = [&](const Vector& part) { return variance > 0 ? variance_with(part, sum) / variance : 0.0; };
  const auto part = [&](Addend addend) { return vector_of(row.of(addend), sum.size()); };
  SumInParts parts{.norm = sum.norm(),
                   .token_norm = part(Addend::token).norm(),
                   .position_norm = part(Addend::position).norm(),
                   .segment_norm = part(Addend::segment).norm(),
                   .noise_norm = 0,
                   .share = {.common = share(part(Addend::common)),
                             .token = share(part(Addend::token)),
                             .position = share(part(Addend::position)),
                             .segment = share(part(Addend::segment)),
                             .together = {}},
                   .noise_share = 0};
  if (!row.of(Addend::together).empty()) parts.share.together = share(part(Addend::together));
  if (noise_.rows() == 0) return parts;
  const Vector noise = noise_.row(static_cast<Index>(token)).transpose();
  parts.noise_norm = noise.norm();
  parts.noise_share = share(noise);
  return parts;
}

lab::PartTables ChangedInput::normalised_parts(const lab::FirstNorm& norm) const {
  lab::PartTables tables;
  tables.fill(Table(sums_.rows(), sums_.cols()));
  constexpr std::array kInOrder{Addend::token, Addend::position, Addend::segment, Addend::common};  // of LogitPart
  for (Index t = 0; t < sums_.rows(); ++t) {
    const double scale = norm.inverse_deviation(sums_.row(t).transpose());
    for (size_t part = 0; part < lab::kLogitParts; ++part) {
      Vector row = vector_of(inputs_[static_cast<size_t>(t)].row.of(kInOrder[part]), sums_.cols());
      const bool is_common = kInOrder[part] == Addend::common;
      if (is_common && noise_.rows() > 0) row += noise_.row(t).transpose();
      tables[part].row(t) = (scale * (row.array() - row.mean()) * norm.weight.array()).transpose();
      if (is_common) tables[part].row(t) += norm.bias.transpose();
    }
  }
  return tables;
}

}  // namespace summand::serve::live
