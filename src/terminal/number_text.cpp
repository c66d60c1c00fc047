#include "terminal/number_text.hpp"

#include <fmt/format.h>

namespace summand::terminal {

std::string fixed(double number, int decimals) {
  const std::string text = fmt::format("{:.{}f}", number, decimals);
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string percent(double share, int decimals) {
  return fixed(100 * share, decimals) + " %";
}

std::string score_text(double score) {
  return score > 0 && score < 0.001 ? fmt::format("{:.1e}", score) : fixed(score, 4);
}

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace summand::terminal
