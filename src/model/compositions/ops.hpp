#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace summand::model {

/// The three parts that are composed, each with a width of its own.
template <class Value>
struct InputParts {
  Value token;
  Value position;
  Value segment;
};

/// How wide the rows of the three tables are.
using PartWidths = InputParts<size_t>;

/// Operations of a composition, on a row or on the rows of many tokens. Parameters are looked up by
/// their names in the contract, below "embeddings.composition.".
template <class Ops>
concept CompositionOps = requires(Ops& ops, typename Ops::Value value, std::string_view name) {
  // elementwise
  { ops.plus(value, value) } -> std::same_as<typename Ops::Value>;
  { ops.minus(value, value) } -> std::same_as<typename Ops::Value>;
  // elementwise; a factor of width 1 multiplies the whole row
  { ops.times(value, value) } -> std::same_as<typename Ops::Value>;
  // concatenation
  { ops.side_by_side(value, value) } -> std::same_as<typename Ops::Value>;
  // W·x + b: <name>.weight [out, in] and, where there is one, <name>.bias [out]
  { ops.linear(value, name) } -> std::same_as<typename Ops::Value>;
  // Wᵀ·x with the same <name>.weight, no bias
  { ops.transposed(value, name) } -> std::same_as<typename Ops::Value>;
  // elementwise product with the parameter <name>, of width 1 or of the row's
  { ops.scale(value, name) } -> std::same_as<typename Ops::Value>;
  // elementwise 1/(1 + e^-x)
  { ops.logistic(value) } -> std::same_as<typename Ops::Value>;
};

/// (token + segment) + position: the order of Hugging Face's BertEmbeddings.forward, which matters in the last bit.
template <CompositionOps Ops>
[[nodiscard]] typename Ops::Value sum_of(Ops& ops, const InputParts<typename Ops::Value>& parts) {
  return ops.plus(ops.plus(parts.token, parts.segment), parts.position);
}

/// [t; p; s]
template <CompositionOps Ops>
[[nodiscard]] typename Ops::Value concatenation_of(Ops& ops, const InputParts<typename Ops::Value>& parts) {
  return ops.side_by_side(ops.side_by_side(parts.token, parts.position), parts.segment);
}

}  // namespace summand::model
