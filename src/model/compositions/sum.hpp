#pragma once

#include "model/compositions/ops.hpp"

namespace summand::model {

/// t + p + s: BERT.
/// Source: Devlin et al. 2019, figure 2
struct Sum {
  static constexpr std::string_view kName = "sum";
  static constexpr std::string_view kFormula = "t + p + s";
  static constexpr bool kSumOfMaps = true;

  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return sum_of(ops, parts);
  }
  bool operator==(const Sum&) const = default;
};

}  // namespace summand::model
