#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "engine/kernels/precision.hpp"

namespace summand::test {

/// @throws UsageError if there is no precision of that name
inline engine::Precision precision_of(std::string_view name) {
  for (const auto& known : engine::enum_names(engine::Precision{})) {
    if (known.name == name) return known.value;
  }
  throw UsageError("precision", "expected fp32, bf16 or int8, got '" + std::string(name) + "'");
}

}  // namespace summand::test
