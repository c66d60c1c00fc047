#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace summand::text {

/// A line about tokens that are unknown words, if they are more than a fifth: the model then cannot read the texts.
/// @param tokens  all, special tokens included
[[nodiscard]] std::optional<std::string> unknown_words_line(size_t unknown, size_t tokens);

}  // namespace summand::text
