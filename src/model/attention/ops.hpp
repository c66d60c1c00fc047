#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix.hpp"

namespace summand::model {

/// What an encoding inside attention is built for.
struct AttentionSizes {
  size_t positions_or_segments = 0;  ///< how many there are; a token has one of 0 … positions_or_segments − 1
  size_t heads = 0;
  size_t head_size = 0;

  [[nodiscard]] size_t hidden() const { return heads * head_size; }
};

/// Distances with a row of their own: more than any text is long.
inline constexpr int64_t kLargestReach = int64_t{1} << 16;

/// What an encoding knows of one token of a text.
struct TokenInText {
  int32_t position_or_segment = 0;
  int32_t index = 0;  ///< of the token in its text
};

/// A text's tokens, as queries and as keys: every query meets every key.
struct QueryKeyTokens {
  std::vector<TokenInText> queries;
  std::vector<TokenInText> keys;
};

/// f(query, key) of every pair. @return [queries, keys]
template <class Number, class Function>
[[nodiscard]] Matrix<Number> of_each_pair(const QueryKeyTokens& tokens, const Function& function) {
  Matrix<Number> result(tokens.queries.size(), tokens.keys.size());
  for (size_t i = 0; i < result.rows(); ++i) {
    for (size_t j = 0; j < result.columns(); ++j) result(i, j) = function(tokens.queries[i], tokens.keys[j]);
  }
  return result;
}

/// f(distance) of every pair, distance the query's position or segment minus the key's. @return [queries, keys],
/// indices
template <class Function>
[[nodiscard]] Matrix<int32_t> of_each_distance(const QueryKeyTokens& tokens, const Function& function) {
  return of_each_pair<int32_t>(tokens, [&](const TokenInText& query, const TokenInText& key) {
    return static_cast<int32_t>(function(static_cast<int64_t>(query.position_or_segment) - key.position_or_segment));
  });
}

/// Those rows of a table that some pairs have, and which of them each has.
struct UsedRows {
  std::vector<size_t> rows;  ///< of the table, from the first that is used to the last
  Matrix<int32_t> indices;   ///< [queries, keys], places in `rows`
};

/// @param rows  of a table, [queries, keys], at least one of each
[[nodiscard]] inline UsedRows used_rows(Matrix<int32_t> rows) {
  const auto [least, most] = std::ranges::minmax(rows.elements());
  UsedRows used{.rows = std::vector<size_t>(static_cast<size_t>(most - least) + 1), .indices = std::move(rows)};
  std::iota(used.rows.begin(), used.rows.end(), static_cast<size_t>(least));
  for (int32_t& index : used.indices.elements()) index -= least;
  return used;
}

/// Queries and keys of one head, [queries, head size] and [keys, head size], and what their products are multiplied by.
template <class Value>
struct AttentionHeadInput {
  const Value& query;
  const Value& key;
  double scale = 1;
};

/// What an encoding inside attention is computed with: matrices of one head of one layer. Parameters are asked for by
/// their names in the contract, below the layer's attention.self or below the encoder; a vector is a matrix of one row.
template <class Ops>
concept AttentionOps = requires(Ops& ops, typename Ops::Value value, std::string_view name, Matrix<double> numbers,
                                Matrix<int32_t> indices, std::vector<size_t> order, std::vector<double> per_head) {
  { ops.parameter(name) } -> std::convertible_to<typename Ops::Value>;
  { ops.constant(numbers) } -> std::same_as<typename Ops::Value>;
  // [1, 1], the number of this head
  { ops.head_constant(per_head) } -> std::same_as<typename Ops::Value>;
  // this head's part of all columns, or of all rows
  { ops.head_columns(value) } -> std::same_as<typename Ops::Value>;
  { ops.head_rows(value) } -> std::same_as<typename Ops::Value>;
  // some rows, or columns, in the order asked for
  { ops.rows(value, order) } -> std::same_as<typename Ops::Value>;
  { ops.columns(value, order) } -> std::same_as<typename Ops::Value>;
  // a · b and a · bᵀ
  { ops.product(value, value) } -> std::same_as<typename Ops::Value>;
  { ops.product_transposed(value, value) } -> std::same_as<typename Ops::Value>;
  // elementwise; rows or columns of the right one that are 1 are repeated
  { ops.plus(value, value) } -> std::same_as<typename Ops::Value>;
  { ops.times(value, value) } -> std::same_as<typename Ops::Value>;
  { ops.scaled(value, 1.0) } -> std::same_as<typename Ops::Value>;
  // layer normalisation of rows by <name>.weight and <name>.bias
  { ops.normalised(value, name) } -> std::same_as<typename Ops::Value>;
  // result(i, j) = value(i, indices(i, j))
  { ops.by_query(value, indices) } -> std::same_as<typename Ops::Value>;
  // result(i, j) = value(j, indices(i, j))
  { ops.by_key(value, indices) } -> std::same_as<typename Ops::Value>;
  // result(i, j) = element indices(i, j) of value, row after row
  { ops.spread(value, indices) } -> std::same_as<typename Ops::Value>;
  // result(i, c) = Σ value(i, j) over all j with indices(i, j) = c, of so many columns
  { ops.collected(value, indices, size_t{}) } -> std::same_as<typename Ops::Value>;
};

/// Rows of a table, one for each token.
[[nodiscard]] inline std::vector<size_t> positions_or_segments_of(const std::vector<TokenInText>& tokens) {
  std::vector<size_t> rows;
  rows.reserve(tokens.size());
  for (const auto& token : tokens) rows.push_back(static_cast<size_t>(token.position_or_segment));
  return rows;
}

/// Whose maps make queries, keys and values of rows that are not hidden states.
enum class Projections {
  own,   ///< matrices of their own
  tied,  ///< the layer's, which make them of hidden states
};

}  // namespace summand::model
