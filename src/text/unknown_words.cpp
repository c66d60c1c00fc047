#include "text/unknown_words.hpp"

#include <fmt/format.h>

namespace summand::text {

std::optional<std::string> unknown_words_line(size_t unknown, size_t tokens) {
  if (unknown * 5 <= tokens) return std::nullopt;
  const double share = static_cast<double>(unknown) / static_cast<double>(tokens);
  return fmt::format(
      "{:.0f} % of the tokens are [UNK], words that the vocabulary does not have ({} of {}): is this a model of the "
      "texts' language?",
      100 * share, unknown, tokens);
}

}  // namespace summand::text
