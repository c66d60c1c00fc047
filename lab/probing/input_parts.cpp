#include "lab/probing/input_parts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lab/core/localize.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"
#include "model/composition.hpp"
#include "model/tensor.hpp"

namespace summand::lab {

namespace {

Vector vector_of(const model::Tensor& tensor) {
  const auto values = model::to_doubles(tensor);
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Eigen::Index drawn_row(const Table& table, RandomStream& stream) {
  return static_cast<Eigen::Index>(stream.below(static_cast<size_t>(table.rows())));
}

}  // namespace

Vector InputParts::sum(const SumItem& item) const {
  return common + (tokens.row(item.token) + positions.row(item.position) + segments.row(item.segment)).transpose();
}

InputParts input_parts(const Subject& subject) {
  const Table tokens = seen_tokens(subject);
  const Table positions = seen_positions(subject);
  const Table segments = seen_rows(subject, subject.segments);
  return {.tokens = centred(tokens),
          .positions = centred(positions),
          .segments = centred(segments),
          .common = column_means(tokens) + column_means(positions) + column_means(segments),
          .segment_mean = column_means(segments)};
}

const std::array<chart::Series, 3>& series_of_parts() {
  static const std::array<chart::Series, 3> parts{
      chart::Series{localize("probing.parts.token"), {.colour = "@orange", .dash = {6, 3}, .shape = "square"}},
      chart::Series{localize("probing.parts.position"), {.colour = "@blue", .width = 2.5}},
      chart::Series{localize("probing.parts.segment"), {.colour = "@green", .dash = {2, 2}, .shape = "triangle-up"}}};
  return parts;
}

std::optional<LocalizedText> lacks_sum(const Subject& subject) {
  if (!subject.model || subject.tokens.rows() == 0) {
    return localize("probing.gaps.tables");
  }
  const auto& config = subject.model->config();
  if (config.composition != model::Composition(model::Sum())) {
    return localize("probing.gaps.composition", {{"composition", std::string(model::name_of(config.composition))}});
  }
  if (config.segment == model::SegmentKind::none) return localize("probing.gaps.segments");
  return {};
}

double FirstNorm::inverse_deviation(const Vector& x) const {
  const double mean_of_x = x.mean();
  return 1 / std::sqrt((x.array() - mean_of_x).square().mean() + epsilon);
}

FirstNorm first_norm(const Subject& subject) {
  const auto& weights = subject.model->checkpoint().weights;
  return {.weight = vector_of(weights.at("embeddings.LayerNorm.weight")),
          .bias = vector_of(weights.at("embeddings.LayerNorm.bias")),
          .epsilon = subject.model->config().layer_norm_eps};
}

size_t CorpusItems::filled_texts() const {
  size_t filled = 0;
  for (size_t text = 0; text + 1 < texts.size(); ++text) filled += texts[text + 1] > texts[text] ? 1 : 0;
  return filled;
}

CorpusItems corpus_items(const Subject& subject) {
  CorpusItems corpus;
  for (const auto& sentence : subject.corpus.sentences) {
    for (size_t i = 0; i < sentence.ids.size(); ++i) {
      corpus.items.push_back(
          {.token = std::min<Eigen::Index>(sentence.ids[i], subject.tokens.rows() - 1),
           .position = std::min<Eigen::Index>(static_cast<Eigen::Index>(i), subject.positions.rows() - 1),
           .segment = std::min<Eigen::Index>(sentence.segments[i], subject.segments.rows() - 1)});
    }
    corpus.texts.push_back(corpus.items.size());
  }
  return corpus;
}

std::vector<SumItem> uniform_items(const Subject& subject, size_t count, RandomStream& stream) {
  std::vector<SumItem> items(count);
  for (auto& item : items) {
    item.token = subject.reached[stream.below(subject.reached.size())];
    item.position = drawn_row(subject.positions, stream);
    item.segment = drawn_row(subject.segments, stream);
  }
  return items;
}

std::vector<SumItem> drawn_items(const CorpusItems& corpus, size_t count, RandomStream& stream) {
  std::vector<SumItem> items;
  if (corpus.items.empty()) return items;
  for (size_t i = 0; i < count; ++i) items.push_back(corpus.items[stream.below(corpus.items.size())]);
  return items;
}

}  // namespace summand::lab
