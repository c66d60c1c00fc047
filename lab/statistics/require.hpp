#pragma once

#include <string_view>

#include "base/error.hpp"

namespace summand::lab {

/// @throws UsageError "[where] message" unless it holds: a statistic asked of a table too small for it, or of two that
/// do not fit
inline void require(bool holds, std::string_view where, std::string_view message) {
  if (!holds) throw UsageError(where, message);
}

}  // namespace summand::lab
