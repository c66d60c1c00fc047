#include "cli/unknown_words.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace summand::cli {

void report_unknown(const api::ReadCount& count) {
  if (count.unknown_tokens * 5 <= count.tokens) return;
  const double share = static_cast<double>(count.unknown_tokens) / static_cast<double>(count.tokens);
  fmt::print(stderr,
             "summand: {:.0f} % of the tokens are [UNK], words that the vocabulary does not have ({} of {}): is this a "
             "model of the texts' language?\n",
             100 * share, count.unknown_tokens, count.tokens);
}

}  // namespace summand::cli
