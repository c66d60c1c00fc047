#include "terminal/option_validators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
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

CLI::Validator whole_number(uint64_t least, uint64_t most) {
  const auto complaint = [least, most](const std::string& word) -> std::string {
    uint64_t number = 0;
    const char* end = word.data() + word.size();
    const auto [at, failure] = std::from_chars(word.data(), end, number);
    const bool is_number = failure == std::errc() && at == end;
    if (is_number && number >= least && number <= most) return {};
    const bool bounded = most < std::numeric_limits<int64_t>::max();
    const bool too_large = !bounded && (failure == std::errc::result_out_of_range || (is_number && number > most));
    const auto wanted = bounded ? fmt::format("from {} to {}", least, most) : fmt::format("of at least {}", least);
    return fmt::format("expected a {}whole number {}, got {}", too_large ? "smaller " : "", wanted, printable(word));
  };
  return {complaint, "", "whole_number"};
}

}  // namespace summand::terminal
