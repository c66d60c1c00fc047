#pragma once

#include <optional>
#include <string>

#include "summand/text.hpp"

namespace summand::text {

/// A line about tokens that are unknown words, if they are more than a fifth: the model then cannot read the texts.
[[nodiscard]] std::optional<std::string> unknown_words_line(const ReadCount& read);

}  // namespace summand::text
