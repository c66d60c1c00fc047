#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/json_file.hpp"

namespace summand::train {

/// @throws ConfigError if there is a value and it is no number
[[nodiscard]] inline std::optional<double> optional_real(const JsonObject& object, std::string_view key) {
  const auto* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) object.refuse(key, "a number");
  return value->get<double>();
}

/// @throws ConfigError if there is no number
[[nodiscard]] inline double real_number(const JsonObject& object, std::string_view key) {
  return object.require(key, optional_real(object, key), "a number");
}

}  // namespace summand::train
