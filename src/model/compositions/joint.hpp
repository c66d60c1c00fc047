#pragma once

#include "model/compositions/ops.hpp"

namespace summand::model {

/// One row for each combination of token, position and segment instead of a sum of three: what a sum is compared with
/// where a vocabulary is small. The token table holds a row for each of the three; see Config::token_table_rows() and
/// InputRows.
struct JointTable {
  static constexpr std::string_view kName = "joint_table";
  static constexpr std::string_view kFormula = "J[t, p, s]";

  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops&, const InputParts<typename Ops::Value>& parts) const {
    return parts.token;
  }
  bool operator==(const JointTable&) const = default;
};

}  // namespace summand::model
