#pragma once

#include <fmt/format.h>

#include <string>

#include "model/attention/biases.hpp"
#include "model/attention/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

namespace tupe {

inline constexpr const char* kRows = "position_rows.weight";
inline constexpr const char* kNorm = "position_norm";
inline constexpr const char* kQuery = "position_query";
inline constexpr const char* kKey = "position_key";
inline constexpr const char* kFirstAsQuery = "first_as_query";
inline constexpr const char* kFirstAsKey = "first_as_key";

/// Whether the first token of a text, [CLS], has one number for all others instead of a position.
enum class First { as_others, untied };

inline void add_shared_parameters(Contract& contract, const AttentionSizes& sizes, First first) {
  contract.matrix(kRows, sizes.positions_or_segments, sizes.hidden());
  contract.norm(kNorm, sizes.hidden());
  contract.linear(kQuery, sizes.hidden(), sizes.hidden());
  contract.linear(kKey, sizes.hidden(), sizes.hidden());
  if (first == First::as_others) return;
  contract.vector(kFirstAsQuery, sizes.heads, Initialiser::normal);
  contract.vector(kFirstAsKey, sizes.heads, Initialiser::normal);
}

/// Rows of positions as queries or as keys of this head, [tokens, head size].
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value projected(Ops& ops, const std::vector<TokenInText>& tokens, const std::string& name) {
  const auto rows = ops.normalised(ops.rows(ops.parameter(kRows), positions_or_segments_of(tokens)), kNorm);
  return ops.plus(ops.product_transposed(rows, ops.head_rows(ops.parameter(name + ".weight"))),
                  ops.head_columns(ops.parameter(name + ".bias")));
}

template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value correlations(Ops& ops, const QueryKeyTokens& tokens, double scale) {
  return ops.scaled(ops.product_transposed(projected(ops, tokens.queries, kQuery), projected(ops, tokens.keys, kKey)),
                    scale);
}

/// θ₁ where the query is the text's first token, θ₂ where the key is and the query is not.
template <AttentionOps Ops>
[[nodiscard]] typename Ops::Value reset(Ops& ops, const typename Ops::Value& bias, const QueryKeyTokens& tokens,
                                        First first) {
  if (first == First::as_others) return bias;
  enum class Who { neither, query, key };
  const auto where = [&](Who who) {
    return ops.constant(of_each_pair<double>(tokens, [who](const TokenInText& query, const TokenInText& key) {
      const Who is = query.index == 0 ? Who::query : key.index == 0 ? Who::key : Who::neither;
      return is == who ? 1.0 : 0.0;
    }));
  };
  return ops.plus(ops.plus(ops.times(bias, where(Who::neither)),
                           ops.times(where(Who::query), ops.head_columns(ops.parameter(kFirstAsQuery)))),
                  ops.times(where(Who::key), ops.head_columns(ops.parameter(kFirstAsKey))));
}

}  // namespace tupe

/// Positions meet positions, by maps of their own, apart from what tokens say.
/// Source: Ke et al. 2021 (TUPE-A), sections 3.1 and 3.2
struct TupeAbsolute {
  static constexpr std::string_view kName = "tupe_absolute";

  bool untie_first = false;  ///< [CLS] meets all others, and they it, by one number of each head

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("untie_first", self.untie_first);
  }
  [[nodiscard]] int counted_terms() const { return 1; }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    tupe::add_shared_parameters(contract, sizes, first());
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value bias(Ops& ops, const QueryKeyTokens& tokens, const AttentionSizes&,
                                         double scale) const {
    return tupe::reset(ops, tupe::correlations(ops, tokens, scale), tokens, first());
  }
  bool operator==(const TupeAbsolute&) const = default;

 private:
  [[nodiscard]] tupe::First first() const { return untie_first ? tupe::First::untied : tupe::First::as_others; }
};

/// The same with a bias by distance.
/// Source: Ke et al. 2021 (TUPE-R), equation 14
struct TupeRelative {
  static constexpr std::string_view kName = "tupe_relative";

  bool untie_first = false;
  int64_t buckets = 32;
  int64_t max_distance = 128;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("untie_first", self.untie_first);
    visit("buckets", self.buckets);
    visit("max_distance", self.max_distance);
  }
  [[nodiscard]] std::string fault(const AttentionSizes&) const {
    return biases::Buckets{buckets, max_distance}.fault();
  }
  [[nodiscard]] static TupeRelative typical(const AttentionSizes&) {
    return {.untie_first = true, .buckets = 8, .max_distance = 12};
  }
  [[nodiscard]] int counted_terms() const { return 1; }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    tupe::add_shared_parameters(contract, sizes, first());
    contract.matrix(biases::kByBucket, static_cast<size_t>(buckets), sizes.heads);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value bias(Ops& ops, const QueryKeyTokens& tokens, const AttentionSizes&,
                                         double scale) const {
    const auto both =
        ops.plus(tupe::correlations(ops, tokens, scale), biases::by_bucket(ops, {buckets, max_distance}, tokens));
    return tupe::reset(ops, both, tokens, first());
  }
  bool operator==(const TupeRelative&) const = default;

 private:
  [[nodiscard]] tupe::First first() const { return untie_first ? tupe::First::untied : tupe::First::as_others; }
};

/// Positions meet positions by rows of each head's own, without maps.
/// Source: Chen et al. 2021, DIET-ABS
struct DietAbsolute {
  static constexpr std::string_view kName = "diet_absolute";
  static constexpr const char* kQueryRows = "position_query_rows.weight";
  static constexpr const char* kKeyRows = "position_key_rows.weight";

  int64_t rank = 0;  ///< columns of a head; 0: as its queries have
  bool per_layer = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("rank", self.rank);
    visit("per_layer", self.per_layer);
  }
  [[nodiscard]] std::string fault(const AttentionSizes& sizes) const {
    if (rank >= 0 && rank <= static_cast<int64_t>(sizes.hidden())) return "";
    return fmt::format("rank: expected 0 to hidden_size ({}), got {}", sizes.hidden(), rank);
  }
  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (per_layer) add(contract, sizes);
  }
  void add_shared_parameters(Contract& contract, const AttentionSizes& sizes) const {
    if (!per_layer) add(contract, sizes);
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value bias(Ops& ops, const QueryKeyTokens& tokens, const AttentionSizes&, double) const {
    const auto rows = [&](const std::vector<TokenInText>& of, const char* name) {
      return ops.rows(ops.head_columns(ops.parameter(name)), positions_or_segments_of(of));
    };
    return ops.product_transposed(rows(tokens.queries, kQueryRows), rows(tokens.keys, kKeyRows));
  }
  bool operator==(const DietAbsolute&) const = default;

 private:
  void add(Contract& contract, const AttentionSizes& sizes) const {
    const size_t columns = rank == 0 ? sizes.hidden() : sizes.heads * static_cast<size_t>(rank);
    contract.matrix(kQueryRows, sizes.positions_or_segments, columns);
    contract.matrix(kKeyRows, sizes.positions_or_segments, columns);
  }
};

}  // namespace summand::model
