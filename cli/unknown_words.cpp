#include "cli/unknown_words.hpp"

#include "terminal/number_text.hpp"
#include "terminal/print_to_stderr.hpp"
#include "text/unknown_words.hpp"

namespace summand::cli {

void report_unknown(const api::ReadCount& count) {
  if (count.texts_empty > 0) {
    terminal::print_to_stderr("{} of {} {} no token: {} of an empty text", count.texts_empty,
                              terminal::counted(count.texts, "text"), count.texts_empty == 1 ? "has" : "have",
                              count.texts_empty == 1 ? "its numbers are those" : "their numbers are those");
  }
  if (const auto line = text::unknown_words_line(count)) {
    terminal::print_to_stderr("{}", *line);
  }
}

}  // namespace summand::cli
