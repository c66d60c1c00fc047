#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace summand {

/// Edit distance: insertions, deletions, substitutions and swaps of neighbours. Time and memory grow with the product
/// of the lengths. Source: Damerau 1964; the restricted distance, in which no letter moves twice
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

/// The name with the smallest edit distance from a misspelt word, case-sensitive; of two equally near, the earlier.
/// @return nothing if a third of the longer word's letters or more would change; a word of three may change one
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names);

/// The names closest to a word: first those that contain it, then by edit_distance(), then in their order.
/// @return at most `most`
[[nodiscard]] std::vector<std::string> closest_names(std::string_view word, std::span<const std::string> names,
                                                     size_t most);

/// "; did you mean 'NAME'?", or nothing if no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace summand
