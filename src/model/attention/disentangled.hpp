#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "model/attention/ops.hpp"
#include "model/contract.hpp"
#include "model/enum_names.hpp"

namespace summand::model {

[[nodiscard]] std::span<const EnumName<Projections>> enum_names(Projections);

namespace disentangled {

inline constexpr const char* kQuery = "position_query_projection";
inline constexpr const char* kKey = "position_key_projection";
inline constexpr const char* kValue = "position_value_projection";

/// Which of the products of content and positions are kept.
template <class Self, class Visitor>
void visit_terms(Self& self, Visitor&& visit) {
  visit("projections", self.projections);
  visit("content_to_position", self.content_to_position);
  visit("position_to_content", self.position_to_content);
  visit("position_to_position", self.position_to_position);
}

/// <name>.weight of this head times every row, without bias.
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value projected(Ops& ops, const typename Ops::Value& rows, const std::string& name) {
  return ops.product_transposed(rows, ops.head_rows(ops.parameter(name + ".weight")));
}

/// Adds one more term to those that there are.
template <AttentionOps Ops>
void add(Ops& ops, std::optional<typename Ops::Value>& sum, const typename Ops::Value& term) {
  sum = sum ? ops.plus(*sum, term) : term;
}

}  // namespace disentangled

/// Rows by distance as queries and as keys beside those of tokens; each of the products of the two can be left out.
/// Source: He et al. 2021 (DeBERTa), equations 2 to 4
struct Deberta {
  static constexpr std::string_view kName = "deberta";
  static constexpr const char* kRows = "relative_rows.weight";

  int64_t span = 0;  ///< distances −span … span − 1 have a row of their own; 0: all
  Projections projections = Projections::own;
  bool content_to_position = true;
  bool position_to_content = true;
  bool position_to_position = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("span", self.span);
    disentangled::visit_terms(self, visit);
  }
  [[nodiscard]] std::string fault(const AttentionSizes&) const {
    if (span < 0 || span > kLargestReach) return fmt::format("span: expected 0 to {}, got {}", kLargestReach, span);
    return counted_terms() > 0 ? "" : "kind: expected one term or more, got none";
  }
  [[nodiscard]] static Deberta typical(const AttentionSizes& sizes) {
    return {.span = static_cast<int64_t>(sizes.positions_or_segments + 1) / 2, .position_to_position = true};
  }
  [[nodiscard]] int counted_terms() const {
    return int{content_to_position} + int{position_to_content} + int{position_to_position};
  }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    contract.matrix(kRows, 2 * reach(sizes), sizes.hidden());
  }
  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (projections == Projections::tied) return;
    if (needs_keys()) contract.matrix(std::string(disentangled::kKey) + ".weight", sizes.hidden(), sizes.hidden());
    if (needs_queries()) contract.linear(disentangled::kQuery, sizes.hidden(), sizes.hidden());
  }
  [[nodiscard]] bool reads_query_map() const { return projections == Projections::tied && needs_queries(); }
  [[nodiscard]] bool reads_key_map() const { return projections == Projections::tied && needs_keys(); }

  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value terms(Ops& ops, const AttentionHeadInput<typename Ops::Value>& head,
                                          const QueryKeyTokens& tokens, const AttentionSizes& sizes) const {
    using Value = typename Ops::Value;
    const auto k = static_cast<int64_t>(reach(sizes));
    const auto row = [k](int64_t distance) { return std::clamp(distance + k, int64_t{0}, 2 * k - 1); };
    const auto towards = used_rows(of_each_distance(tokens, row));
    const auto back = used_rows(of_each_distance(tokens, [&](int64_t distance) { return row(-distance); }));
    const bool own = projections == Projections::own;
    const auto made = [&](const UsedRows& used, const std::string& name, bool bias) {
      const Value rows = disentangled::projected(ops, ops.rows(ops.parameter(kRows), used.rows), name);
      return bias ? ops.plus(rows, ops.head_columns(ops.parameter(name + ".bias"))) : rows;
    };
    const auto keys = [&] { return own ? made(towards, disentangled::kKey, false) : made(towards, "key", true); };
    const auto queries = [&] { return made(back, own ? disentangled::kQuery : "query", true); };
    std::optional<Value> sum;
    if (content_to_position) {
      disentangled::add(ops, sum, ops.by_query(ops.product_transposed(head.query, keys()), towards.indices));
    }
    if (position_to_content) {
      disentangled::add(ops, sum, ops.by_key(ops.product_transposed(head.key, queries()), back.indices));
    }
    if (position_to_position) {
      auto both = back.indices;
      for (size_t i = 0; i < both.elements().size(); ++i) {
        both.elements()[i] =
            both.elements()[i] * static_cast<int32_t>(towards.rows.size()) + towards.indices.elements()[i];
      }
      disentangled::add(ops, sum, ops.spread(ops.product_transposed(queries(), keys()), both));
    }
    return ops.scaled(*sum, head.scale);
  }
  bool operator==(const Deberta&) const = default;

 private:
  [[nodiscard]] size_t reach(const AttentionSizes& sizes) const {
    return span == 0 ? sizes.positions_or_segments : static_cast<size_t>(span);
  }
  [[nodiscard]] bool needs_keys() const { return content_to_position || position_to_position; }
  [[nodiscard]] bool needs_queries() const { return position_to_content || position_to_position; }
};

/// Rows by position as they would be in a sum at every layer's input, term by term: with all of them, and the layer's
/// own maps, queries, keys and values are those of x + p, and the residual is x.
/// Source: Ke et al. 2021, equation 6, where the sum is taken apart
struct Rows {
  static constexpr std::string_view kName = "rows";
  static constexpr const char* kRows = "attention_rows.weight";

  Projections projections = Projections::tied;
  bool content_to_position = true;
  bool position_to_content = true;
  bool position_to_position = true;
  bool values = true;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    disentangled::visit_terms(self, visit);
    visit("values", self.values);
  }
  [[nodiscard]] std::string fault(const AttentionSizes&) const {
    return needs_keys() || needs_queries() || values ? "" : "kind: expected one term or more, got none";
  }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    contract.matrix(kRows, sizes.positions_or_segments, sizes.hidden());
  }
  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (projections == Projections::tied) return;
    const auto add = [&](bool needed, const char* name) {
      if (needed) contract.matrix(std::string(name) + ".weight", sizes.hidden(), sizes.hidden());
    };
    add(needs_queries(), disentangled::kQuery);
    add(needs_keys(), disentangled::kKey);
    add(values, disentangled::kValue);
  }
  [[nodiscard]] bool reads_query_map() const { return projections == Projections::tied && needs_queries(); }
  [[nodiscard]] bool reads_key_map() const { return projections == Projections::tied && needs_keys(); }
  [[nodiscard]] bool reads_value_map() const { return projections == Projections::tied && values; }

  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value terms(Ops& ops, const AttentionHeadInput<typename Ops::Value>& head,
                                          const QueryKeyTokens& tokens, const AttentionSizes&) const {
    std::optional<typename Ops::Value> sum;
    const auto keys = [&] { return rows(ops, tokens.keys, name(disentangled::kKey, "key")); };
    const auto queries = [&] { return rows(ops, tokens.queries, name(disentangled::kQuery, "query")); };
    if (content_to_position) disentangled::add(ops, sum, ops.product_transposed(head.query, keys()));
    if (position_to_content) disentangled::add(ops, sum, ops.product_transposed(queries(), head.key));
    if (position_to_position) disentangled::add(ops, sum, ops.product_transposed(queries(), keys()));
    if (!sum) return ops.constant(Matrix<double>(tokens.queries.size(), tokens.keys.size()));
    return ops.scaled(*sum, head.scale);
  }
  [[nodiscard]] bool changes_values() const { return values; }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value changed_values(Ops& ops, const typename Ops::Value& of_tokens,
                                                   const std::vector<TokenInText>& tokens,
                                                   const AttentionSizes&) const {
    return ops.plus(of_tokens, rows(ops, tokens, name(disentangled::kValue, "value")));
  }
  bool operator==(const Rows&) const = default;

 private:
  [[nodiscard]] std::string name(const char* own, const char* tied) const {
    return projections == Projections::own ? own : tied;
  }
  template <AttentionOps Ops>
  [[nodiscard]] static typename Ops::Value rows(Ops& ops, const std::vector<TokenInText>& tokens,
                                                const std::string& name) {
    return disentangled::projected(ops, ops.rows(ops.parameter(kRows), positions_or_segments_of(tokens)), name);
  }
  [[nodiscard]] bool needs_keys() const { return content_to_position || position_to_position; }
  [[nodiscard]] bool needs_queries() const { return position_to_content || position_to_position; }
};

}  // namespace summand::model
