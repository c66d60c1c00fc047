#include "lab/probing/first_logits.hpp"

#include <cmath>
#include <string>

#include "lab/core/localize.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"
#include "model/parameters.hpp"
#include "model/tensor.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr auto kCommon = static_cast<size_t>(LogitPart::common);

}  // namespace

const LocalizedText& words_of(LogitPart part) {
  static const std::array<LocalizedText, kLogitParts> words{
      localize("probing.parts.token"), localize("probing.parts.position"), localize("probing.parts.segment"),
      localize("probing.parts.common")};
  return words[static_cast<size_t>(part)];
}

Table LogitTerms::sum() const {
  Table total = Table::Zero(of[0][0].rows(), of[0][0].cols());
  for (const auto& row : of) {
    for (const auto& term : row) total += term;
  }
  return total;
}

FirstLogits::FirstLogits(const Subject& subject)
    : subject_(subject),
      norm_(first_norm(subject)),
      token_mean_(column_means(reached_tokens(subject))),
      position_mean_(column_means(subject.positions)),
      segment_mean_(column_means(subject.segments)),
      heads_(static_cast<size_t>(subject.model->config().num_attention_heads)) {
  const auto& weights = subject.model->checkpoint().weights;
  const auto projection = [&](const std::string& name) {
    const auto& bias = weights.at(model::layer_parameter(0, "attention.self." + name + ".bias"));
    const auto& weight = weights.at(model::layer_parameter(0, "attention.self." + name + ".weight"));
    return Projection{.weight = table_of(weight), .bias = table_of(bias).row(0)};
  };
  query_ = projection("query");
  key_ = projection("key");
}

PartTables FirstLogits::inputs(const model::Batch& batch, size_t text) const {
  return inputs(batch, text, subject_.positions, subject_.positions);
}

PartTables FirstLogits::inputs(const model::Batch& batch, size_t text, const Table& seen,
                               const Table& normalised) const {
  const auto length = static_cast<Index>(batch.length(text));
  const Vector common = token_mean_ + position_mean_ + segment_mean_;
  PartTables parts;
  parts.fill(Table(length, common.size()));
  for (Index i = 0; i < length; ++i) {
    const size_t t = batch.offsets[text] + static_cast<size_t>(i);
    const std::array<Vector, kLogitParts> addends{subject_.tokens.row(batch.ids[t]).transpose() - token_mean_,
                                                  seen.row(batch.positions[t]).transpose() - position_mean_,
                                                  subject_.segments.row(batch.segments[t]).transpose() - segment_mean_,
                                                  common};
    const Vector others = addends[0] + addends[2] + addends[3] - position_mean_;
    const double scale = norm_.inverse_deviation(others + normalised.row(batch.positions[t]).transpose());
    for (size_t part = 0; part < kLogitParts; ++part) {
      const double own_mean = addends[part].mean();
      parts[part].row(i) = (scale * (addends[part].array() - own_mean) * norm_.weight.array()).transpose();
    }
  }
  parts[kCommon].rowwise() += norm_.bias.transpose();
  return parts;
}

PartTables FirstLogits::projected(const PartTables& inputs, const Projection& by, size_t head) const {
  const Index size = by.weight.rows() / static_cast<Index>(heads_);
  const Index first = static_cast<Index>(head) * size;
  PartTables parts;
  for (size_t part = 0; part < kLogitParts; ++part) {
    parts[part] = inputs[part] * by.weight.middleRows(first, size).transpose();
  }
  parts[kCommon].rowwise() += by.bias.segment(first, size).transpose();
  return parts;
}

LogitTerms FirstLogits::terms(const PartTables& inputs, size_t head) const {
  const PartTables queries = projected(inputs, query_, head);
  const PartTables keys = projected(inputs, key_, head);
  const double scale = 1 / std::sqrt(static_cast<double>(queries[0].cols()));
  LogitTerms terms;
  for (size_t query = 0; query < kLogitParts; ++query) {
    for (size_t key = 0; key < kLogitParts; ++key) {
      terms.of[query][key] = scale * (queries[query] * keys[key].transpose());
    }
  }
  return terms;
}

LogitTerms FirstLogits::terms(const model::Batch& batch, size_t text, size_t head) const {
  return terms(inputs(batch, text), head);
}

Table FirstLogits::logits(const PartTables& inputs, size_t head) const {
  const PartTables queries = projected(inputs, query_, head);
  const PartTables keys = projected(inputs, key_, head);
  const auto whole = [](const PartTables& parts) { return Table(parts[0] + parts[1] + parts[2] + parts[3]); };
  return whole(queries) * whole(keys).transpose() / std::sqrt(static_cast<double>(queries[0].cols()));
}

}  // namespace summand::lab
