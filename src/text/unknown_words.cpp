#include "text/unknown_words.hpp"

#include <fmt/format.h>

namespace summand::text {

std::optional<std::string> unknown_words_line(const ReadCount& read) {
  if (read.unknown_tokens * 5 <= read.tokens) return std::nullopt;
  const double share = static_cast<double>(read.unknown_tokens) / static_cast<double>(read.tokens);
  return fmt::format(
      "{:.0f} % of the tokens are [UNK], words that the vocabulary does not have ({} of {}): is this a model of the "
      "texts' language?",
      100 * share, read.unknown_tokens, read.tokens);
}

}  // namespace summand::text
