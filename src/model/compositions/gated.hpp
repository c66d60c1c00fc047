#pragma once

#include "model/compositions/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

namespace gated {

inline void add_parameters(Contract& contract, size_t width, size_t hidden) {
  for (const auto* part : {"token", "position", "segment"}) {
    contract.linear(std::string(part) + "_gate", width, 3 * hidden);
  }
}

template <CompositionOps Ops>
[[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) {
  const auto all = concatenation_of(ops, parts);
  const auto gated = [&](const typename Ops::Value& part, std::string_view gate) {
    return ops.times(part, ops.logistic(ops.linear(all, gate)));
  };
  return sum_of(ops, {.token = gated(parts.token, "token_gate"),
                      .position = gated(parts.position, "position_gate"),
                      .segment = gated(parts.segment, "segment_gate")});
}

}  // namespace gated

/// gt·t + gp·p + gs·s, each g = σ(u·[t; p; s] + b), a number. With u = 0 and a large b it is the sum.
struct ScalarGate {
  static constexpr std::string_view kName = "scalar_gate";
  static constexpr std::string_view kFormula = "gt·t + gp·p + gs·s, each g = σ(u·[t; p; s] + b)";

  void add_parameters(Contract& contract, size_t hidden) const { gated::add_parameters(contract, 1, hidden); }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return gated::compose(ops, parts);
  }
  bool operator==(const ScalarGate&) const = default;
};

/// gt⊙t + gp⊙p + gs⊙s, each g = σ(U·[t; p; s] + b), a vector: the gates of an LSTM (Hochreiter & Schmidhuber 1997).
/// With U = 0 and a large b it is the sum.
struct VectorGate {
  static constexpr std::string_view kName = "vector_gate";
  static constexpr std::string_view kFormula = "gt⊙t + gp⊙p + gs⊙s, each g = σ(U·[t; p; s] + b)";

  void add_parameters(Contract& contract, size_t hidden) const { gated::add_parameters(contract, hidden, hidden); }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return gated::compose(ops, parts);
  }
  bool operator==(const VectorGate&) const = default;
};

}  // namespace summand::model
