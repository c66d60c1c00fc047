#include "api/parts.hpp"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <vector>

#include "api/rows.hpp"
#include "base/error.hpp"
#include "model/position.hpp"

namespace summand::api {

namespace {

using Row = std::vector<double>;

/// Sum of products of deviations from the two means: covariance without its divisor, which a share does not need.
double codeviation(std::span<const double> a, std::span<const double> b) {
  const auto count = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / count;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / count;
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += (a[i] - mean_a) * (b[i] - mean_b);
  return total;
}

/// The four addends of every token of one text, each [length, hidden], and their sum.
struct Addends {
  Row common;
  Matrix<double> token, position, segment, sum;
};

Addends addends_of(const InputTables& tables, const text::Encoding& encoding) {
  const size_t length = encoding.ids.size();
  const size_t hidden = tables.token.columns();
  Addends addends{Row(hidden), Matrix<double>(length, hidden), Matrix<double>(length, hidden),
                  Matrix<double>(length, hidden), Matrix<double>(length, hidden)};
  for (size_t i = 0; i < hidden; ++i) {
    addends.common[i] = tables.token_mean[i] + tables.position_mean[i] + tables.segment_mean[i];
  }
  const auto put = [](const Row& from, std::span<double> to) { std::copy(from.begin(), from.end(), to.begin()); };
  for (size_t t = 0; t < length; ++t) {
    const auto id = static_cast<size_t>(encoding.ids[t]);
    const auto segment = static_cast<size_t>(encoding.segments[t]);
    put(difference(tables.token.row(id), tables.token_mean), addends.token.row(t));
    put(difference(tables.position.row(t), tables.position_mean), addends.position.row(t));
    put(difference(tables.segment.row(segment), tables.segment_mean), addends.segment.row(t));
    for (size_t i = 0; i < hidden; ++i) {
      addends.sum(t, i) = addends.common[i] + addends.token(t, i) + addends.position(t, i) + addends.segment(t, i);
    }
  }
  return addends;
}

PartShares shares_over_coordinates(const Addends& addends, size_t token) {
  const auto x = addends.sum.row(token);
  const double variance = codeviation(x, x);
  if (variance <= 0) return {};
  return {.common = codeviation(addends.common, x) / variance,
          .token = codeviation(addends.token.row(token), x) / variance,
          .position = codeviation(addends.position.row(token), x) / variance,
          .segment = codeviation(addends.segment.row(token), x) / variance};
}

/// @param tokens  those that count
PartShares shares_over_tokens(const Addends& addends, std::span<const size_t> tokens) {
  if (tokens.empty()) return {};
  const auto column = [&](const Matrix<double>& matrix, size_t i) {
    Row values;
    for (const size_t t : tokens) values.push_back(matrix(t, i));
    return values;
  };
  PartShares totals;
  double variance = 0;
  for (size_t i = 0; i < addends.sum.columns(); ++i) {
    const Row x = column(addends.sum, i);
    variance += codeviation(x, x);
    totals.token += codeviation(column(addends.token, i), x);
    totals.position += codeviation(column(addends.position, i), x);
    totals.segment += codeviation(column(addends.segment, i), x);
  }
  if (variance <= 0) return {};
  return {.common = 0,
          .token = totals.token / variance,
          .position = totals.position / variance,
          .segment = totals.segment / variance};
}

Matrix<double> position_table(const LoadedModel& model) {
  const auto& config = model.config();
  const auto size = config.position_table_size();
  auto table = model::position_table(config.position, size, model.checkpoint().weights);
  return table ? std::move(*table) : Matrix<double>(size.rows, size.columns);
}

Matrix<double> segment_table(const LoadedModel& model) {
  const auto& config = model.config();
  switch (config.segment) {
    case model::SegmentKind::learned:
      return model::to_matrix<double>(model.checkpoint().weights.at("embeddings.token_type_embeddings.weight"));
    case model::SegmentKind::none:
      return {static_cast<size_t>(config.type_vocab_size), static_cast<size_t>(config.hidden_size)};
  }
  __builtin_unreachable();
}

}  // namespace

InputTables input_tables(const LoadedModel& model) {
  const auto& config = model.config();
  if (config.composition != model::Composition(model::Sum())) {
    throw ConfigError("parts",
                      fmt::format("expected the composition 'sum', got '{}'", model::name_of(config.composition)));
  }
  if (std::holds_alternative<model::HierarchicalPositions>(config.position)) {
    throw ConfigError("parts",
                      "expected a row of each position, got position_kind 'hierarchical', whose rows depend on "
                      "sentences");
  }
  const auto& weights = model.checkpoint().weights;
  InputTables tables{.token = model::to_matrix<double>(weights.at("embeddings.word_embeddings.weight")),
                     .position = position_table(model),
                     .segment = segment_table(model),
                     .token_mean = {},
                     .position_mean = {},
                     .segment_mean = {}};
  tables.token_mean = mean_row(tables.token);
  tables.position_mean = mean_row(tables.position);
  tables.segment_mean = mean_row(tables.segment);
  return tables;
}

TextParts parts_of(const InputTables& tables, const text::Tokenizer& tokenizer, const text::Encoding& encoding) {
  const Addends addends = addends_of(tables, encoding);
  TextParts parts;
  for (size_t t = 0; t < encoding.ids.size(); ++t) {
    const auto id = static_cast<size_t>(encoding.ids[t]);
    const auto segment = static_cast<size_t>(encoding.segments[t]);
    parts.tokens.push_back({.token = std::string(tokenizer.token(encoding.ids[t])),
                            .position = static_cast<int32_t>(t),
                            .segment = encoding.segments[t],
                            .token_norm = norm(tables.token.row(id)),
                            .position_norm = norm(tables.position.row(t)),
                            .segment_norm = norm(tables.segment.row(segment)),
                            .centred_token_norm = norm(addends.token.row(t)),
                            .centred_position_norm = norm(addends.position.row(t)),
                            .centred_segment_norm = norm(addends.segment.row(t)),
                            .share = shares_over_coordinates(addends, t)});
  }
  std::vector<size_t> counted(encoding.ids.size());
  std::iota(counted.begin(), counted.end(), size_t{0});
  parts.share_over_tokens = shares_over_tokens(addends, counted);
  std::erase_if(counted, [&](size_t t) { return encoding.special[t] != 0; });
  parts.share_over_text = shares_over_tokens(addends, counted);
  return parts;
}

}  // namespace summand::api
