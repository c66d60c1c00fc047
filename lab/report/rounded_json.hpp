#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace summand::lab {

/// A number with so many significant digits, as a page shows fewer; null for what JSON has no number for.
[[nodiscard]] inline nlohmann::json rounded_json(double value, int digits) {
  if (!std::isfinite(value)) return {};
  return nlohmann::json::parse(fmt::format("{:.{}g}", value, digits));
}

}  // namespace summand::lab
