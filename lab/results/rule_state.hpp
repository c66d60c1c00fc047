#pragma once

#include <string>

#include "lab/core/experiment.hpp"

namespace summand::lab {

/// 16 hexadecimal digits that change with a rule: of its English texts, which its thresholds are printed into, and of
/// what tells its conclusion.
[[nodiscard]] std::string rule_hash(const Rule& rule);

/// "frozen in rules-1", "changed since rules-1" or "newer than rules-1".
[[nodiscard]] Words rule_state(const Rule& rule);

}  // namespace summand::lab
