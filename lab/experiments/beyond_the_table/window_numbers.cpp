#include "lab/experiments/beyond_the_table/window_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "lab/core/number_builder.hpp"
#include "lab/statistics/estimate.hpp"
#include "summand/assert.hpp"

namespace summand::lab {

namespace {

using ScoreField = std::vector<double> WindowScores::*;

/// A score of every window that counts, of one way and of its references.
struct Scored {
  std::vector<double> way;
  std::vector<double> shuffled;
  std::vector<double> noise;
  std::vector<double> within;
};

/// Which windows count, and what of them.
struct Scoring {
  const std::vector<WindowScores>* scores = nullptr;  ///< [tables]
  ScoreField field = nullptr;
  size_t first_position = 0;
};

Scored scored(const WindowsMeasured& measured, const Scoring& scoring, size_t table) {
  Scored result;
  const auto& all = *scoring.scores;
  const auto& way = all[table].*scoring.field;
  const auto& shuffled = all[all.size() - 2].*scoring.field;
  const auto& noise = all.back().*scoring.field;
  const auto& within = measured.within.*scoring.field;
  for (size_t i = 0; i < measured.windows.size(); ++i) {
    if (measured.windows[i].block * measured.width < scoring.first_position || !std::isfinite(way[i])) continue;
    result.way.push_back(way[i]);
    result.shuffled.push_back(shuffled[i]);
    result.noise.push_back(noise[i]);
    result.within.push_back(within[i]);
  }
  return result;
}

double mean_of(const std::vector<double>& values, std::span<const size_t> chosen) {
  double total = 0;
  for (const size_t i : chosen) total += values[i];
  return chosen.empty() ? 0 : total / static_cast<double>(chosen.size());
}

/// How far it is from noise to the table; 0 where both are one.
double kept(const std::vector<double>& values, const Scored& scores, std::span<const size_t> chosen) {
  const double noise = mean_of(scores.noise, chosen);
  const double whole = mean_of(scores.within, chosen) - noise;
  return whole == 0 ? 0 : (mean_of(values, chosen) - noise) / whole;
}

template <class Of>
Estimate estimate(size_t items, const Draws& draws, const Of& of) {
  std::vector<size_t> all(items);
  for (size_t i = 0; i < items; ++i) all[i] = i;
  return {of(std::span<const size_t>(all)), bootstrap(items, of, draws)};
}

Number number_of(const NumberName& family, const LongerTable& way, const Scored& scores, const Draws& draws) {
  const auto mean = [&](const std::vector<double>& values) {
    return estimate(values.size(), draws, [&](std::span<const size_t> chosen) { return mean_of(values, chosen); });
  };
  const auto own = mean(scores.way);
  const auto null = mean(scores.noise);
  const auto control = mean(scores.within);
  return NumberBuilder(family, way.name, own, {{"way", way.series.words}})
      .null(null, localize("beyond_the_table.beside.noise"))
      .control(control, localize("beyond_the_table.beside.within"));
}

Number kept_number(const NumberName& family, const LongerTable& way, const Scored& scores, const Draws& draws) {
  const auto part = [&](const std::vector<double>& values) {
    return estimate(values.size(), draws, [&](std::span<const size_t> chosen) { return kept(values, scores, chosen); });
  };
  const auto own = part(scores.way);
  const auto null = part(scores.shuffled);
  return NumberBuilder(family, way.name, own, {{"way", way.series.words}})
      .null(null, localize("beyond_the_table.beside.shuffled"))
      .control(part(scores.within).value, localize("beyond_the_table.beside.within"));
}

}  // namespace

LocalizedText label_of_way(const std::string& way) {
  for (const auto& table : ways_beyond()) {
    if (table.name == way) return table.series.words;
  }
  SUMMAND_ASSERT(false);
  return {};
}

size_t masked_windows(const WindowsMeasured& measured, size_t first_position) {
  const Scoring losses{.scores = &measured.scores, .field = &WindowScores::losses, .first_position = first_position};
  return scored(measured, losses, 0).way.size();
}

void add_window_numbers(const WindowsMeasured& measured, const WindowNumbersChoice& choice, const Draws& draws,
                        Numbers& numbers) {
  using namespace beyond_the_table;
  struct Score {
    const NumberName* name;
    const NumberName* kept;  ///< null: no part kept
    ScoreField field;
    const std::vector<WindowScores>* scores;
  };
  const auto* scores = &measured.scores;
  const bool far = choice.beyond == Beyond::twice_the_table;
  std::vector<Score> all{{far ? &kFarTokens : &kTokens, far ? &kFarKept : &kKept, &WindowScores::tokens, scores}};
  if (!far) all.push_back({&kMeans, nullptr, &WindowScores::means, scores});
  if (!far && !measured.whole.empty()) {
    all.push_back({&kText, &kKeptText, &WindowScores::tokens, &measured.whole});
  }
  if (!far && choice.head == HeadScores::present) {
    all.push_back({&kLoss, &kKeptLoss, &WindowScores::losses, scores});
    all.push_back({&kRight, nullptr, &WindowScores::right, scores});
  }
  for (const auto& score : all) {
    for (size_t table = 0; table + kNullTables < measured.tables.size(); ++table) {
      const auto& way = measured.tables[table];
      const auto values = scored(
          measured, {.scores = score.scores, .field = score.field, .first_position = choice.first_position}, table);
      numbers.add(number_of(*score.name, way, values, draws));
      const std::string name = score.name->of(way.name);
      const double apart = numbers.control(name) - numbers.null(name);
      const bool are_apart = score.name == &kLoss ? -apart >= kLeastLossApart : apart >= kLeastApart;
      if (score.kept != nullptr && are_apart) numbers.add(kept_number(*score.kept, way, values, draws));
    }
  }
}

}  // namespace summand::lab
