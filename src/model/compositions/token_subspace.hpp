#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "model/compositions/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

namespace token_subspace {

/// Bᵀ·B·p, the projection of the position row onto the subspace; the rows of B are its directions, of length 1.
template <CompositionOps Ops>
[[nodiscard]] typename Ops::Value within(Ops& ops, const typename Ops::Value& position) {
  return ops.transposed(ops.linear(position, "token_directions"), "token_directions");
}

inline void add_parameters(Contract& contract, int64_t rank, size_t hidden) {
  contract.matrix("token_directions.weight", static_cast<size_t>(rank), hidden, Initialiser::token_directions);
}

[[nodiscard]] inline std::string validation_error(int64_t rank, size_t hidden) {
  const auto most = static_cast<int64_t>(hidden);
  if (rank >= 1 && rank <= most) return "";
  return fmt::format("rank: expected 1 to hidden_size ({}), got {}", most, rank);
}

}  // namespace token_subspace

/// t + s + (p − Bᵀ·B·p): positions at right angles to the token table's first directions. With B = 0 it is the sum.
struct OutsideTokens {
  static constexpr std::string_view kName = "outside_tokens";
  static constexpr std::string_view kFormula = "t + s + (p − BᵀBp)";
  static constexpr bool kSumOfMaps = true;

  int64_t rank = 1;  ///< directions

  [[nodiscard]] static OutsideTokens typical(size_t hidden) {
    return {.rank = std::max<int64_t>(1, static_cast<int64_t>(hidden) / 8)};
  }

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("rank", self.rank);
  }
  [[nodiscard]] std::string fault(size_t hidden) const { return token_subspace::validation_error(rank, hidden); }
  void add_parameters(Contract& contract, size_t hidden) const {
    token_subspace::add_parameters(contract, rank, hidden);
  }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    auto outside = ops.minus(parts.position, token_subspace::within(ops, parts.position));
    return sum_of(ops, {.token = parts.token, .position = std::move(outside), .segment = parts.segment});
  }
  bool operator==(const OutsideTokens&) const = default;
};

/// t + s + Bᵀ·B·p: positions forced into the token table's first directions. With as many directions as columns it is
/// the sum.
struct WithinTokens {
  static constexpr std::string_view kName = "within_tokens";
  static constexpr std::string_view kFormula = "t + s + BᵀBp";
  static constexpr bool kSumOfMaps = true;

  int64_t rank = 1;  ///< directions

  [[nodiscard]] static WithinTokens typical(size_t hidden) {
    return {.rank = std::max<int64_t>(1, static_cast<int64_t>(hidden) / 8)};
  }

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("rank", self.rank);
  }
  [[nodiscard]] std::string fault(size_t hidden) const { return token_subspace::validation_error(rank, hidden); }
  void add_parameters(Contract& contract, size_t hidden) const {
    token_subspace::add_parameters(contract, rank, hidden);
  }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return sum_of(
        ops, {.token = parts.token, .position = token_subspace::within(ops, parts.position), .segment = parts.segment});
  }
  bool operator==(const WithinTokens&) const = default;
};

}  // namespace summand::model
