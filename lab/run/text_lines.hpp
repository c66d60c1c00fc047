#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace summand::lab {

/// Columns that a text takes on a terminal: two for a Chinese character.
[[nodiscard]] size_t columns_of(std::string_view text);

/// The text, with blanks behind it up to so many columns.
[[nodiscard]] std::string padded(std::string_view text, size_t columns);

/// A text in lines of at most `width` columns, each with its end of line: the first behind a label, the others behind
/// as many blanks. English breaks at blanks, Chinese between any two characters but before and behind marks that do not
/// stand alone. A word longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view label, std::string_view text, size_t width);

/// Columns to write standard output in: the terminal's, at least 60 and at most 120; 80 where it is no terminal.
[[nodiscard]] size_t output_width();

}  // namespace summand::lab
