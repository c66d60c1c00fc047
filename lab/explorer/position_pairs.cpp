#include "lab/explorer/position_pairs.hpp"

#include <algorithm>

#include "lab/explorer/adds_three_tables.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kMostPositions = 512;  // 131,328 pairs: what the page has room for
constexpr Index kMostOfHeads = 48;     // of as many pairs for each head

/// What an input of the corpus is divided by, on average: 1/σ.
double mean_inverse_deviation(const Subject& subject, const FirstNorm& norm) {
  const auto corpus = corpus_items(subject);
  double total = 0;
  for (const auto& [token, position, segment] : corpus.items) {
    total += norm.inverse_deviation(
        (subject.tokens.row(token) + subject.positions.row(position) + subject.segments.row(segment)).transpose());
  }
  return corpus.items.empty() ? 0 : total / static_cast<double>(corpus.items.size());
}

/// @param rows  centred position rows
std::vector<Table> logits_of_heads(const Subject& subject, const Table& rows) {
  const FirstNorm norm = first_norm(subject);
  const double scale = mean_inverse_deviation(subject, norm);
  PartTables parts;
  parts.fill(Table::Zero(rows.rows(), rows.cols()));
  Table& position = parts[static_cast<size_t>(LogitPart::position)];
  position = scale * (rows.colwise() - rows.rowwise().mean());
  position.array().rowwise() *= norm.weight.transpose().array();
  const FirstLogits logits(subject);
  std::vector<Table> of_heads;
  for (size_t head = 0; head < logits.heads(); ++head) {
    of_heads.push_back(logits.terms(parts, head).at(LogitPart::position, LogitPart::position));
  }
  return of_heads;
}

}  // namespace

PositionPairs position_pairs(const Subject& subject) {
  const Table rows = centred(subject.positions).topRows(std::min(kMostPositions, subject.positions.rows()));
  const Index count = rows.rows();
  const Table products = rows * rows.transpose();
  const Vector norms = products.diagonal().cwiseSqrt();
  PositionPairs pairs;
  pairs.norms.assign(norms.begin(), norms.end());
  const Table lengths = norms * norms.transpose();
  pairs.cosines = (lengths.array() > 0).select(products.array() / lengths.array().max(1e-300), 0);
  for (Index distance = 0; distance < count; ++distance) {
    pairs.products_by_distance.push_back(products.diagonal(distance).mean());
  }
  pairs.left_out = static_cast<size_t>(subject.positions.rows() - count);
  if (adds_three_tables(subject) && subject.model->config().num_hidden_layers > 0) {
    pairs.first_logits = logits_of_heads(subject, rows.topRows(std::min(kMostOfHeads, count)));
  }
  return pairs;
}

}  // namespace summand::lab
