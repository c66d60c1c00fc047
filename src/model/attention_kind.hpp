#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "model/attention/list.hpp"
#include "model/contract.hpp"
#include "model/kinds.hpp"
#include "model/layer_norm.hpp"
#include "model/matrix_ops.hpp"
#include "model/weights.hpp"

namespace summand::model {

/// What an encoding inside attention reads of each token.
enum class EncodedInput { position, segment };

/// One of a model's two encodings inside attention: that of positions, or that of segments.
struct AttentionEncoding {
  AttentionKind kind;
  AttentionSizes sizes;
  std::string_view prefix;  ///< of its parameters' names
  EncodedInput input = EncodedInput::position;

  [[nodiscard]] bool exists() const { return !std::holds_alternative<NotInAttention>(kind); }
};

/// Adds those that every layer has, or those that all layers share; names follow the contract's own prefix.
void add_layer_parameters(const AttentionEncoding& encoding, Contract& contract);
void add_shared_parameters(const AttentionEncoding& encoding, Contract& contract);

/// Number of score terms besides query · key that enter the scale.
[[nodiscard]] int counted_terms(const AttentionKind& kind);

/// Which of the layer's own maps it makes rows with.
struct MapsRead {
  bool query = false;
  bool key = false;
  bool value = false;
};
[[nodiscard]] MapsRead maps_read(const AttentionKind& kind);

/// Whether its score term depends only on the difference of two tags: one Toeplitz matrix per head.
[[nodiscard]] bool is_by_distance(const AttentionKind& kind);
/// Whether it rotates queries and keys.
[[nodiscard]] bool rotates(const AttentionKind& kind);
/// Whether it adds to what attention makes of values.
[[nodiscard]] bool adds_to_context(const AttentionKind& kind);
/// Whether values are others than the layer's map makes.
[[nodiscard]] bool changes_values(const AttentionKind& kind);

/// The parameters of one encoding as MatrixOps takes them, by their names in the contract.
template <class Scalar>
using AttentionParameters = std::unordered_map<std::string, Matrix<Scalar>>;

/// AttentionOps on matrices of one head.
template <class Scalar>
class HeadOps : public MatrixOps<Scalar> {
 public:
  using Value = Matrix<Scalar>;

  /// What an encoding is computed with; all of it must outlive this object.
  struct Of {
    const AttentionParameters<Scalar>& shared;
    const AttentionParameters<Scalar>& layer;
    const AttentionSizes& sizes;
    double epsilon = 0;  ///< of layer normalisation
  };
  HeadOps(const Of& of, size_t head) : of_(of), head_(head) {}

  [[nodiscard]] const Value& parameter(std::string_view name) const {
    const auto found = of_.layer.find(std::string(name));
    return found != of_.layer.end() ? found->second : of_.shared.at(std::string(name));
  }
  [[nodiscard]] Value head_constant(const std::vector<double>& of_heads) const {
    Value value(1, 1);
    value(0, 0) = Scalar(of_heads[head_]);
    return value;
  }
  [[nodiscard]] Value head_columns(const Value& value) const { return this->columns(value, part_of(value.columns())); }
  [[nodiscard]] Value head_rows(const Value& value) const { return this->rows(value, part_of(value.rows())); }
  [[nodiscard]] Value normalised(Value value, std::string_view name) const {
    const Value weight = parameter(std::string(name) + ".weight");
    const Value bias = parameter(std::string(name) + ".bias");
    for (size_t row = 0; row < value.rows(); ++row) {
      layer_norm<Scalar, Scalar>(value.row(row), std::as_const(weight).row(0), std::as_const(bias).row(0), of_.epsilon);
    }
    return value;
  }

 private:
  [[nodiscard]] std::vector<size_t> part_of(size_t all) const {
    const size_t width = all / of_.sizes.heads;
    std::vector<size_t> part;
    for (size_t i = 0; i < width; ++i) part.push_back(head_ * width + i);
    return part;
  }

  Of of_;
  size_t head_;
};

/// Prefixes of the parameters of a layer's attention, and of those that all layers share.
[[nodiscard]] std::string attention_prefix(size_t layer);
inline constexpr std::string_view kSharedAttentionPrefix = "encoder.";

/// The parameters of an encoding, read: those of one layer, its maps among them where they are used, or the shared
/// ones.
/// @throws CheckpointError if one is missing
template <class Scalar>
[[nodiscard]] AttentionParameters<Scalar> layer_parameters_of(const AttentionEncoding& encoding, const Weights& weights,
                                                              size_t layer);
template <class Scalar>
[[nodiscard]] AttentionParameters<Scalar> shared_parameters_of(const AttentionEncoding& encoding,
                                                               const Weights& weights);

namespace attention_kinds {

/// The names that a part of the contract has, without any prefix.
[[nodiscard]] std::vector<std::string> names_of(const AttentionEncoding& encoding,
                                                void (*add)(const AttentionEncoding&, Contract&));

template <class Scalar>
[[nodiscard]] AttentionParameters<Scalar> read(const Weights& weights, const std::string& prefix,
                                               const std::vector<std::string>& names) {
  AttentionParameters<Scalar> read;
  for (const auto& name : names) read.emplace(name, to_matrix<Scalar>(weights.at(prefix + name)));
  return read;
}

}  // namespace attention_kinds

template <class Scalar>
AttentionParameters<Scalar> layer_parameters_of(const AttentionEncoding& encoding, const Weights& weights,
                                                size_t layer) {
  const std::string prefix = attention_prefix(layer);
  auto read = attention_kinds::read<Scalar>(weights, prefix + std::string(encoding.prefix),
                                            attention_kinds::names_of(encoding, add_layer_parameters));
  const MapsRead maps = maps_read(encoding.kind);
  const auto add_map = [&](bool used, const std::string& name, const std::string& from) {
    if (!used) return;
    for (const auto* end : {".weight", ".bias"}) {
      read.emplace(name + end, to_matrix<Scalar>(weights.at(prefix + from + end)));
    }
  };
  add_map(maps.query, "query", "query");
  add_map(maps.key, "key", weights.contains(prefix + "key.weight") ? "key" : "query");
  add_map(maps.value, "value", "value");
  return read;
}

template <class Scalar>
AttentionParameters<Scalar> shared_parameters_of(const AttentionEncoding& encoding, const Weights& weights) {
  return attention_kinds::read<Scalar>(weights, std::string(kSharedAttentionPrefix) + std::string(encoding.prefix),
                                       attention_kinds::names_of(encoding, add_shared_parameters));
}

/// What an encoding adds to scale · query · keyᵀ, [queries, keys]; nothing, where it adds nothing.
template <AttentionOps Ops>
[[nodiscard]] std::optional<typename Ops::Value> score_terms(const AttentionEncoding& encoding, Ops& ops,
                                                             const AttentionHeadInput<typename Ops::Value>& head,
                                                             const QueryKeyTokens& tokens) {
  return std::visit(
      [&](const auto& one) -> std::optional<typename Ops::Value> {
        if constexpr (requires { one.terms(ops, head, tokens, encoding.sizes); }) {
          return one.terms(ops, head, tokens, encoding.sizes);
        } else if constexpr (requires { one.bias(ops, tokens, encoding.sizes, head.scale); }) {
          return one.bias(ops, tokens, encoding.sizes, head.scale);
        } else {
          return std::nullopt;
        }
      },
      encoding.kind);
}

/// Rotated queries or keys, or nullopt if the encoding does not rotate.
template <AttentionOps Ops>
[[nodiscard]] std::optional<typename Ops::Value> rotate(const AttentionEncoding& encoding, Ops& ops,
                                                        const typename Ops::Value& rows,
                                                        const std::vector<TokenInText>& tokens) {
  return std::visit(
      [&](const auto& one) -> std::optional<typename Ops::Value> {
        if constexpr (requires { one.rotate(ops, rows, tokens, encoding.sizes); }) {
          return one.rotate(ops, rows, tokens, encoding.sizes);
        } else {
          return std::nullopt;
        }
      },
      encoding.kind);
}

/// Values as they are weighted; nothing, where they stay as they are.
template <AttentionOps Ops>
[[nodiscard]] std::optional<typename Ops::Value> changed_values(const AttentionEncoding& encoding, Ops& ops,
                                                                const typename Ops::Value& rows,
                                                                const std::vector<TokenInText>& tokens) {
  return std::visit(
      [&](const auto& one) -> std::optional<typename Ops::Value> {
        if constexpr (requires { one.changed_values(ops, rows, tokens, encoding.sizes); }) {
          if (one.changes_values()) return one.changed_values(ops, rows, tokens, encoding.sizes);
        }
        return std::nullopt;
      },
      encoding.kind);
}

/// What is added to weights · values, [queries, head size]; nothing, where nothing is.
template <AttentionOps Ops>
[[nodiscard]] std::optional<typename Ops::Value> context_terms(const AttentionEncoding& encoding, Ops& ops,
                                                               const typename Ops::Value& weights,
                                                               const QueryKeyTokens& tokens) {
  return std::visit(
      [&](const auto& one) -> std::optional<typename Ops::Value> {
        if constexpr (requires { one.context_terms(ops, weights, tokens, encoding.sizes); }) {
          if (one.adds_to_context()) return one.context_terms(ops, weights, tokens, encoding.sizes);
        }
        return std::nullopt;
      },
      encoding.kind);
}

}  // namespace summand::model
