#pragma once

#include "model/compositions/ops.hpp"

namespace summand::model {

/// t⊙(1 + p + s)
struct Multiplicative {
  static constexpr std::string_view kName = "multiplicative";
  static constexpr std::string_view kFormula = "t⊙(1 + p + s)";

  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return ops.plus(parts.token, ops.times(parts.token, ops.plus(parts.position, parts.segment)));
  }
  bool operator==(const Multiplicative&) const = default;
};

}  // namespace summand::model
