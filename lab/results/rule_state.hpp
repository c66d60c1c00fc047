#pragma once

#include <string>

#include "lab/core/experiment.hpp"

namespace summand::lab {

/// 16 hexadecimal digits that change with a rule: of its English texts, which its thresholds are printed into, of what
/// tells its conclusion, and of its revision. That a measurement did not change behind the same texts is held by the
/// test lab_frozen_numbers.
[[nodiscard]] std::string rule_hash(const Rule& rule);

/// "frozen in rules-3", "frozen in rules-3, reworded since", "changed since rules-3" or "newer than rules-3".
[[nodiscard]] LocalizedText rule_state(const Rule& rule);

}  // namespace summand::lab
