#pragma once

#include <nlohmann/json.hpp>

#include "lab/results/findings_json.hpp"

namespace summand::lab {

/// {"en": …, "zh": …}, as the page takes a text.
template <typename Json>
[[nodiscard]] Json both_languages(const LocalizedText& words) {
  return words;
}

[[nodiscard]] inline nlohmann::json json_of(const LocalizedText& words) {
  return both_languages<nlohmann::json>(words);
}

}  // namespace summand::lab
