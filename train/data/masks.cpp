#include "train/data/masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/range.hpp"

namespace summand::train {

namespace {

constexpr double kSlack = 1e-9;  // of decimal fractions: .3 / .1 is not 3

bool is_rate(double value) {
  return value > 0 && value <= 1;
}

/// Fewer corrupted than predicted, and no whole multiple.
bool divides(double predict, double corrupt) {
  const double ratio = predict / corrupt;
  return corrupt >= predict || std::abs(ratio - std::round(ratio)) < kSlack * ratio;
}

std::vector<Range> units_of(std::span<const uint8_t> starts) {
  std::vector<Range> units;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (i == 0 || starts[i] != 0) units.push_back({i, i});
    units.back().end = i + 1;
  }
  return units;
}

void mark(std::vector<uint8_t>& tokens, Range unit) {
  std::fill(tokens.begin() + static_cast<std::ptrdiff_t>(unit.begin),
            tokens.begin() + static_cast<std::ptrdiff_t>(unit.end), uint8_t{1});
}

/// Tokens of a sequence that a rate asks for.
size_t rounded(double rate, size_t tokens) {
  return std::max<size_t>(1, static_cast<size_t>(std::lround(rate * static_cast<double>(tokens))));
}

/// The first units that make so many tokens; one that would make more is passed over.
std::vector<size_t> first_units(std::span<const size_t> order, std::span<const Range> units, size_t tokens) {
  std::vector<size_t> first;
  size_t taken = 0;
  for (const size_t unit : order) {
    if (taken + units[unit].size() > tokens) continue;
    first.push_back(unit);
    taken += units[unit].size();
    if (taken == tokens) break;
  }
  // Where no unit is short enough, the first one: every sequence asks for something.
  if (first.empty() && !order.empty()) first.push_back(order.front());
  return first;
}

/// The draws of all units.
std::vector<double> draws(size_t units, RandomStream& stream) {
  std::vector<double> all(units);
  for (double& draw : all) draw = stream.uniform();
  return all;
}

Masked independent(std::span<const Range> units, size_t tokens, const MaskRules& rules, size_t copy,
                   RandomStream& stream) {
  Masked result{std::vector<uint8_t>(tokens), std::vector<uint8_t>(tokens)};
  const auto drawn = draws(units.size(), stream);
  const double begin = static_cast<double>(copy) * rules.corrupt_rate;
  const double predict_end = std::min(begin + rules.corrupt_rate, rules.predict_rate);
  for (size_t i = 0; i < units.size(); ++i) {
    if (drawn[i] < begin) continue;
    if (drawn[i] < predict_end) mark(result.predicted, units[i]);
    if (drawn[i] < begin + rules.corrupt_rate) mark(result.corrupted, units[i]);
  }
  return result;
}

Masked exact(std::span<const Range> units, size_t tokens, const MaskRules& rules, size_t copy, RandomStream& stream) {
  Masked result{std::vector<uint8_t>(tokens), std::vector<uint8_t>(tokens)};
  const auto drawn = draws(units.size(), stream);
  std::vector<size_t> order(units.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t unit) { return drawn[unit]; });
  const auto predicted = first_units(order, units, rounded(rules.predict_rate, tokens));
  const size_t copies = masked_copies(rules);
  if (copies == 1) {
    for (const size_t unit : predicted) mark(result.predicted, units[unit]);
    for (const size_t unit : first_units(order, units, rounded(rules.corrupt_rate, tokens))) {
      mark(result.corrupted, units[unit]);
    }
    for (size_t i = 0; i < tokens; ++i) result.corrupted[i] |= result.predicted[i];
    return result;
  }
  for (size_t i = copy; i < predicted.size(); i += copies) {
    mark(result.predicted, units[predicted[i]]);
    mark(result.corrupted, units[predicted[i]]);
  }
  return result;
}

Masked of_windows(std::span<const Range> units, size_t tokens, const MaskRules& rules, RandomStream& stream) {
  Masked result{std::vector<uint8_t>(tokens), std::vector<uint8_t>(tokens)};
  size_t unit = 0;
  for (size_t begin = 0; begin < tokens; begin += rules.window) {
    const size_t chosen = begin + stream.below(rules.window);  // beyond the end in a last window that is narrower
    if (chosen >= tokens) continue;
    while (units[unit].end <= chosen) ++unit;
    // Every unit at the rate, whatever its width: by its first token.
    if (units[unit].begin == chosen) mark(result.predicted, units[unit]);
  }
  result.corrupted = result.predicted;
  return result;
}

}  // namespace

std::span<const model::EnumName<Selection>> enum_names(Selection) {
  static constexpr std::array kNames{model::EnumName{Selection::exact, "exact"},
                                     model::EnumName{Selection::independent, "independent"},
                                     model::EnumName{Selection::windows, "windows"}};
  return kNames;
}

std::span<const model::EnumName<MaskUnit>> enum_names(MaskUnit) {
  static constexpr std::array kNames{model::EnumName{MaskUnit::token, "token"}, model::EnumName{MaskUnit::word, "word"},
                                     model::EnumName{MaskUnit::spaced, "spaced"}};
  return kNames;
}

std::string validation_error(const MaskRules& rules) {
  if (!is_rate(rules.predict_rate)) {
    return fmt::format("--mask-rate: expected more than 0, at most 1, got {}", rules.predict_rate);
  }
  if (!is_rate(rules.corrupt_rate)) {
    return fmt::format("--corrupt-rate: expected more than 0, at most 1, got {}", rules.corrupt_rate);
  }
  if (!divides(rules.predict_rate, rules.corrupt_rate)) {
    return fmt::format("--corrupt-rate: expected the mask rate ({}), more, or it divided by a whole number, got {}",
                       rules.predict_rate, rules.corrupt_rate);
  }
  if (rules.window < 1) return "--mask-window: expected at least 1 token, got 0";
  const double changed = rules.mask_share + rules.random_share;
  if (!(rules.mask_share >= 0 && rules.random_share >= 0 && changed <= 1 + kSlack)) {
    return fmt::format("--mask-split: expected two shares that make at most 1, got {} and {}", rules.mask_share,
                       rules.random_share);
  }
  return "";
}

size_t masked_copies(const MaskRules& rules) {
  if (rules.selection == Selection::windows || rules.corrupt_rate >= rules.predict_rate) return 1;
  return static_cast<size_t>(std::lround(rules.predict_rate / rules.corrupt_rate));
}

Masked masked(std::span<const uint8_t> unit_starts, const MaskRules& rules, size_t copy, RandomStream& stream) {
  const auto units = units_of(unit_starts);
  switch (rules.selection) {
    case Selection::independent:
      return independent(units, unit_starts.size(), rules, copy, stream);
    case Selection::exact:
      return exact(units, unit_starts.size(), rules, copy, stream);
    case Selection::windows:
      return of_windows(units, unit_starts.size(), rules, stream);
  }
  __builtin_unreachable();
}

int32_t corrupted(int32_t id, int32_t mask, std::span<const int32_t> ordinary, const MaskRules& rules,
                  RandomStream& stream) {
  const double draw = stream.uniform();
  const int32_t other = ordinary[stream.below(ordinary.size())];  // drawn in any case, so that arms draw alike
  if (draw < rules.mask_share) return mask;
  return draw < rules.mask_share + rules.random_share ? other : id;
}

}  // namespace summand::train
