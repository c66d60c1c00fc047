#pragma once

#include <algorithm>
#include <string_view>

#include "lab/core/numbers.hpp"

namespace summand::lab {

/// The number of this name, or null: for rules that do with less where a checkpoint lacks something.
[[nodiscard]] inline const Number* found(const Numbers& numbers, std::string_view name) {
  const auto at = std::ranges::find(numbers.all(), name, &Number::name);
  return at == numbers.all().end() ? nullptr : &*at;
}

}  // namespace summand::lab
