#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace summand {

/// Letters put in, left out, exchanged for another or swapped with their neighbour, to make one word of the other.
/// Takes time and memory as the product of their lengths.
/// Source: Damerau 1964; the restricted distance, in which no letter moves twice
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

/// The name that somebody may have meant: the one with the fewest letters put in, left out, exchanged for another or
/// swapped with their neighbour. Case counts.
/// @return nothing where a third of the longer word's letters or more would change, though of a word of three one may;
///   the earlier name of two as near
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names);

/// The names most like a word, the likest first: those that it is a part of, then by edit_distance(), then as they
/// stand.
/// @return at most `most`
[[nodiscard]] std::vector<std::string> closest_names(std::string_view word, std::span<const std::string> names,
                                                     size_t most);

/// "; did you mean 'NAME'?", or nothing where no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace summand
