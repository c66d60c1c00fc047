#include "lab/probing/input_parts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"
#include "model/input_composition.hpp"
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
  return {.tokens = centred(subject.tokens),
          .positions = centred(subject.positions),
          .segments = centred(subject.segments),
          .common = column_means(subject.tokens) + column_means(subject.positions) + column_means(subject.segments),
          .segment_mean = column_means(subject.segments)};
}

const std::array<chart::Series, 3>& series_of_parts() {
  static const std::array<chart::Series, 3> parts{
      chart::Series{{"token", "词元"}, {.colour = "@orange", .dash = {6, 3}, .shape = "square"}},
      chart::Series{{"position", "位置"}, {.colour = "@blue", .width = 2.5}},
      chart::Series{{"segment", "片段"}, {.colour = "@green", .dash = {2, 2}, .shape = "triangle-up"}}};
  return parts;
}

std::optional<Words> lacks_sum(const Subject& subject) {
  if (!subject.model || subject.tokens.rows() == 0 || subject.segments.rows() == 0) {
    return Words{"needs token and segment tables: this is a position table alone",
                 "需要词元表与片段表：这里只有位置表"};
  }
  const auto composition = subject.model->config().composition;
  if (composition != model::InputComposition::sum) {
    const std::string name(model::name_of(composition));
    return Words{"needs a model that adds its three rows; this one's composition is " + name,
                 "需要把三个嵌入相加的模型；此模型的组合方式是 " + name};
  }
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
    item.token = drawn_row(subject.tokens, stream);
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
