#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/attention_kind.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"

namespace summand::model {

/// The positions or the segments of a text, whichever the encoding reads, [length].
[[nodiscard]] inline std::span<const int32_t> positions_or_segments_of_text(const AttentionEncoding& encoding,
                                                                            const Batch& batch, size_t text) {
  return std::span(positions_or_segments(encoding.input, batch)).subspan(batch.offsets[text], batch.length(text));
}

/// The text's tokens, as queries and as keys.
[[nodiscard]] inline QueryKeyTokens query_key_tokens(const AttentionEncoding& encoding, const Batch& batch,
                                                     size_t text) {
  std::vector<TokenInText> tokens;
  for (const int32_t one : positions_or_segments_of_text(encoding, batch, text)) {
    tokens.push_back({.position_or_segment = one, .index = static_cast<int32_t>(tokens.size())});
  }
  return {.queries = tokens, .keys = tokens};
}

/// An encoding inside attention, applied to one text in one layer. All of it but `ops` must outlive this object.
template <AttentionOps Ops>
struct AppliedEncoding {
  const AttentionEncoding& encoding;
  const QueryKeyTokens& tokens;
  Ops ops;
};

/// Those of a model, positions before segments.
template <AttentionOps Ops>
using AppliedEncodings = std::vector<AppliedEncoding<Ops>>;

// The steps of attention, in order. Each takes rows of one head, or of all heads at once, as `Ops` holds them.

/// @return [queries, head size]
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value rotated_query(AppliedEncodings<Ops>& encodings, typename Ops::Value query) {
  for (auto& [encoding, tokens, ops] : encodings) {
    if (auto rotated = rotate(encoding, ops, query, tokens.queries)) query = std::move(*rotated);
  }
  return query;
}

/// @return [keys, head size]
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value rotated_key(AppliedEncodings<Ops>& encodings, typename Ops::Value key) {
  for (auto& [encoding, tokens, ops] : encodings) {
    if (auto rotated = rotate(encoding, ops, key, tokens.keys)) key = std::move(*rotated);
  }
  return key;
}

/// Rotates values, then adds rows to them, which are not rotated. @return [keys, head size]
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value changed_value(AppliedEncodings<Ops>& encodings, typename Ops::Value value) {
  for (const bool rotating : {true, false}) {
    for (auto& [encoding, tokens, ops] : encodings) {
      if (rotates(encoding.kind) != rotating) continue;
      if (auto changed = changed_values(encoding, ops, value, tokens.keys)) value = std::move(*changed);
    }
  }
  return value;
}

/// @param head  queries and keys before they are rotated
/// @return [queries, keys]
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value plus_score_terms(AppliedEncodings<Ops>& encodings, typename Ops::Value scores,
                                                   const AttentionHeadInput<typename Ops::Value>& head) {
  for (auto& [encoding, tokens, ops] : encodings) {
    if (const auto terms = score_terms(encoding, ops, head, tokens)) scores = ops.plus(std::move(scores), *terms);
  }
  return scores;
}

/// @param weights  [queries, keys]
/// @return [queries, head size]
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value plus_context_terms(AppliedEncodings<Ops>& encodings, typename Ops::Value context,
                                                     const typename Ops::Value& weights) {
  for (auto& [encoding, tokens, ops] : encodings) {
    if (const auto terms = context_terms(encoding, ops, weights, tokens))
      context = ops.plus(std::move(context), *terms);
  }
  return context;
}

/// What attend() is computed with, beside the operations of each encoding.
template <class Ops>
concept AttendOps = requires(Ops& ops, typename Ops::Value value) {
  // a · b and a · bᵀ
  { ops.product(value, value) } -> std::same_as<typename Ops::Value>;
  { ops.product_transposed(value, value) } -> std::same_as<typename Ops::Value>;
  { ops.scaled(value, 1.0) } -> std::same_as<typename Ops::Value>;
  // −∞ where the key comes after the query
  { ops.causally_masked(value) } -> std::same_as<typename Ops::Value>;
  // the softmax of each row, [queries, keys]; taps and dropout act here
  { ops.weights(value) } -> std::same_as<typename Ops::Value>;
};

/// Rows of one text, [length, head size] for each head.
template <class Value>
struct QueryKeyValue {
  Value query, key, value;
};

/// The one definition of attention within a text: softmax(scale · R(q)·R(k)ᵀ + score terms) · v′ + context terms. R
/// rotates, v′ are the changed values; encodings that do neither leave q, k and v as they are.
/// @return [length, head size] for each head
/// Source: Vaswani et al. 2017, section 3.2.1
template <AttendOps Ops, AttentionOps EncodingOps>
[[nodiscard]] typename Ops::Value attend(const Config& config, Ops& ops, AppliedEncodings<EncodingOps>& encodings,
                                         const QueryKeyValue<typename Ops::Value>& rows) {
  using Value = typename Ops::Value;
  const double scale = config.score_scale();
  const Value query = rotated_query(encodings, rows.query);
  const Value key = rotated_key(encodings, rows.key);
  const Value value = changed_value(encodings, rows.value);
  Value scores = ops.scaled(ops.product_transposed(query, key), scale);
  scores = plus_score_terms(encodings, std::move(scores), {rows.query, rows.key, scale});
  if (config.attention.causal) scores = ops.causally_masked(std::move(scores));
  const Value weights = ops.weights(std::move(scores));
  return plus_context_terms(encodings, ops.product(weights, value), weights);
}

}  // namespace summand::model
