#pragma once

#include <span>
#include <string>

namespace summand::serve::live {

/// Sentences to seek neighbours among: some alike in words and unlike in sense, some the other way round.
[[nodiscard]] std::span<const std::string> built_in_sentences();

}  // namespace summand::serve::live
