#pragma once

#include "model/compositions/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

namespace scaled {

inline void add_parameters(Contract& contract, size_t width) {
  for (const auto* part : {"token", "position", "segment"}) {
    contract.vector(std::string(part) + "_scale", width, Initialiser::ones);
  }
}

template <CompositionOps Ops>
[[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) {
  return sum_of(ops, {.token = ops.scale(parts.token, "token_scale"),
                      .position = ops.scale(parts.position, "position_scale"),
                      .segment = ops.scale(parts.segment, "segment_scale")});
}

}  // namespace scaled

/// αt·t + αp·p + αs·s, three learned scalars. At 1 each it is the sum.
struct ScaledSum {
  static constexpr std::string_view kName = "scaled_sum";
  static constexpr std::string_view kFormula = "αt·t + αp·p + αs·s";
  static constexpr bool kSumOfMaps = true;

  void add_parameters(Contract& contract, size_t) const { scaled::add_parameters(contract, 1); }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return scaled::compose(ops, parts);
  }
  bool operator==(const ScaledSum&) const = default;
};

/// wt⊙t + wp⊙p + ws⊙s, three learned vectors. At 1 each it is the sum.
struct WeightedSum {
  static constexpr std::string_view kName = "weighted_sum";
  static constexpr std::string_view kFormula = "wt⊙t + wp⊙p + ws⊙s";
  static constexpr bool kSumOfMaps = true;

  void add_parameters(Contract& contract, size_t hidden) const { scaled::add_parameters(contract, hidden); }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return scaled::compose(ops, parts);
  }
  bool operator==(const WeightedSum&) const = default;
};

}  // namespace summand::model
