#pragma once

#include <string_view>

namespace summand::lab {

/// SHA-256, in hexadecimal digits, of the sources and texts that the build lists for an experiment; of "" those that
/// all experiments share: the rooms that they may use, the engine among them. What only draws the page is in none of
/// them.
/// @return empty for an experiment that the build does not list
[[nodiscard]] std::string_view sources_hash(std::string_view experiment);

}  // namespace summand::lab
