#include "terminal/one_of.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace summand::terminal {

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string shown = fmt::format("{{{}}}", fmt::join(words, ","));
  auto complaint = [words = std::move(words)](const std::string& word) -> std::string {
    if (std::ranges::find(words, word) != words.end()) return {};
    return fmt::format("expected one of {}, got {}", fmt::join(words, ", "), printable(word));
  };
  return {std::move(complaint), shown, "one_of"};
}

}  // namespace summand::terminal
