#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/attention/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

/// Rows by distance that queries meet, and rows that are added to values; far distances share one.
/// Source: Shaw et al. 2018, equations 3 to 5
struct ShawKeys {
  static constexpr std::string_view kName = "shaw";
  static constexpr const char* kKeys = "relative_key.weight";
  static constexpr const char* kValues = "relative_value.weight";

  int64_t clip = 0;  ///< the largest distance with a row of its own; 0: every one
  bool values = true;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("clip", self.clip);
    visit("values", self.values);
  }
  [[nodiscard]] std::string fault(const AttentionSizes&) const {
    if (clip >= 0 && clip <= kLargestReach) return "";
    return fmt::format("clip: expected 0 to {}, got {}", kLargestReach, clip);
  }
  [[nodiscard]] static ShawKeys typical(const AttentionSizes& sizes) {
    return {.clip = static_cast<int64_t>(sizes.positions_or_segments - 1) / 2};
  }
  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    contract.matrix(kKeys, rows(sizes), sizes.head_size);
    if (values) contract.matrix(kValues, rows(sizes), sizes.head_size);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value terms(Ops& ops, const AttentionHeadInput<typename Ops::Value>& head,
                                          const QueryKeyTokens& tokens, const AttentionSizes& sizes) const {
    const auto used = used_rows(rows_of(tokens, sizes));
    const auto met = ops.product_transposed(head.query, ops.rows(ops.parameter(kKeys), used.rows));
    return ops.scaled(ops.by_query(met, used.indices), head.scale);
  }
  [[nodiscard]] bool adds_to_context() const { return values; }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value context_terms(Ops& ops, const typename Ops::Value& weights,
                                                  const QueryKeyTokens& tokens, const AttentionSizes& sizes) const {
    const auto used = used_rows(rows_of(tokens, sizes));
    return ops.product(ops.collected(weights, used.indices, used.rows.size()),
                       ops.rows(ops.parameter(kValues), used.rows));
  }
  bool operator==(const ShawKeys&) const = default;

 private:
  [[nodiscard]] int64_t reach(const AttentionSizes& sizes) const {
    return clip == 0 ? static_cast<int64_t>(sizes.positions_or_segments) - 1 : clip;
  }
  [[nodiscard]] size_t rows(const AttentionSizes& sizes) const { return 2 * static_cast<size_t>(reach(sizes)) + 1; }
  [[nodiscard]] Matrix<int32_t> rows_of(const QueryKeyTokens& tokens, const AttentionSizes& sizes) const {
    const int64_t k = reach(sizes);
    return of_each_distance(tokens, [k](int64_t distance) { return std::clamp(-distance, -k, k) + k; });
  }
};

namespace relative_keys {

inline constexpr const char* kRows = "distance_embedding.weight";

inline void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) {
  contract.matrix(kRows, 2 * sizes.positions_or_segments - 1, sizes.head_size);
}
[[nodiscard]] inline UsedRows rows_of(const QueryKeyTokens& tokens, const AttentionSizes& sizes) {
  const auto middle = static_cast<int64_t>(sizes.positions_or_segments) - 1;
  return used_rows(of_each_distance(tokens, [middle](int64_t distance) { return distance + middle; }));
}

}  // namespace relative_keys

/// A row for each distance, which queries meet.
/// Source: transformers 4.57, BertSelfAttention with position_embedding_type "relative_key"
struct RelativeKey {
  static constexpr std::string_view kName = "relative_key";

  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    relative_keys::add_layer_parameters(contract, sizes);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value terms(Ops& ops, const AttentionHeadInput<typename Ops::Value>& head,
                                          const QueryKeyTokens& tokens, const AttentionSizes& sizes) const {
    const auto used = relative_keys::rows_of(tokens, sizes);
    const auto met = ops.product_transposed(head.query, ops.rows(ops.parameter(relative_keys::kRows), used.rows));
    return ops.scaled(ops.by_query(met, used.indices), head.scale);
  }
  bool operator==(const RelativeKey&) const = default;
};

/// A row for each distance, which queries and keys meet.
/// Source: transformers 4.57, BertSelfAttention with position_embedding_type "relative_key_query"; Huang et al. 2020,
/// method 4
struct RelativeKeyQuery {
  static constexpr std::string_view kName = "relative_key_query";

  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    relative_keys::add_layer_parameters(contract, sizes);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value terms(Ops& ops, const AttentionHeadInput<typename Ops::Value>& head,
                                          const QueryKeyTokens& tokens, const AttentionSizes& sizes) const {
    const auto used = relative_keys::rows_of(tokens, sizes);
    const auto table = ops.rows(ops.parameter(relative_keys::kRows), used.rows);
    return ops.scaled(ops.plus(ops.by_query(ops.product_transposed(head.query, table), used.indices),
                               ops.by_key(ops.product_transposed(head.key, table), used.indices)),
                      head.scale);
  }
  bool operator==(const RelativeKeyQuery&) const = default;
};

}  // namespace summand::model
