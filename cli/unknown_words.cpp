#include "cli/unknown_words.hpp"

#include "terminal/number_text.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

void report_unknown(const api::ReadCount& count) {
  if (count.texts_empty > 0) {
    terminal::print_to_stderr("{} of {} {} no token: {} of an empty text", count.texts_empty,
                              terminal::counted(count.texts, "text"), count.texts_empty == 1 ? "has" : "have",
                              count.texts_empty == 1 ? "its numbers are those" : "their numbers are those");
  }
  if (count.unknown_tokens * 5 <= count.tokens) return;
  const double share = static_cast<double>(count.unknown_tokens) / static_cast<double>(count.tokens);
  terminal::print_to_stderr(
      "{:.0f} % of the tokens are [UNK], words that the vocabulary does not have ({} of {}): is this a "
      "model of the texts' language?",
      100 * share, count.unknown_tokens, count.tokens);
}

}  // namespace summand::cli
