#include "base/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/matrix.hpp"

namespace summand {

namespace {

/// Longer words are not meant as names, and would cost their length squared.
constexpr size_t kLongestName = 100;

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  Matrix<size_t> steps(a.size() + 1, b.size() + 1);  // from the first i letters of a to the first j of b
  for (size_t i = 0; i <= a.size(); ++i) steps(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) steps(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t exchange = steps(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      steps(i, j) = std::min({exchange, steps(i - 1, j) + 1, steps(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) steps(i, j) = std::min(steps(i, j), steps(i - 2, j - 2) + 1);
    }
  }
  return steps(a.size(), b.size());
}

std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names) {
  if (word.empty() || word.size() > kLongestName) return std::nullopt;
  const std::string* nearest = nullptr;
  size_t least = 0;
  for (const auto& name : names) {
    if (name.size() > kLongestName) continue;
    const size_t changed = edit_distance(word, name);
    const size_t letters = std::max(word.size(), name.size());
    const bool near = letters == 3 ? changed <= 1 : 3 * changed < letters;
    if (!near) continue;
    if (nearest && changed >= least) continue;
    nearest = &name;
    least = changed;
  }
  return nearest ? std::optional(*nearest) : std::nullopt;
}

std::vector<std::string> closest_names(std::string_view word, std::span<const std::string> names, size_t most) {
  struct Likeness {
    bool is_apart = false;  // from the word, which is no part of the name
    size_t changed = 0;
    size_t place = 0;
    auto operator<=>(const Likeness&) const = default;
  };
  std::vector<Likeness> order;
  for (const auto& name : names) {
    const bool is_too_long = std::max(word.size(), name.size()) > kLongestName;
    order.push_back({.is_apart = word.empty() || name.find(word) == name.npos,
                     .changed = is_too_long ? name.size() + word.size() : edit_distance(word, name),
                     .place = order.size()});
  }
  std::ranges::sort(order);
  std::vector<std::string> likest;
  for (const auto& one : std::span(order).first(std::min(most, order.size()))) likest.push_back(names[one.place]);
  return likest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const auto name = nearest_name(word, names);
  return name ? fmt::format("; did you mean '{}'?", printable(*name)) : "";
}

}  // namespace summand
