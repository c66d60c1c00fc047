#include "lab/experiments/clocks/ladder_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/clocks/clock_settings.hpp"
#include "lab/experiments/clocks/extremes.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab::clocks {

namespace {

constexpr NumberName kRungs{"clocks", "rungs"};
constexpr NumberName kRatio{"clocks", "ratio"};
constexpr NumberName kLogSpread{"clocks", "log_ratio_spread"};
constexpr NumberName kPaceRatio{"clocks", "pace_ratio"};               // a family: of two neighbours
constexpr NumberName kPartRatio{"clocks", "ratio_in"};                 // a family: of a part
constexpr NumberName kEarlierRatio{"clocks", "pace_ratio_below_128"};  // a family: of two neighbours
constexpr NumberName kLaterRatio{"clocks", "pace_ratio_from_128"};     // a family: of two neighbours
constexpr NumberName kTurnsOfSlowest{"clocks", "slowest_turns_in"};    // a family: of a part
constexpr NumberName kRatioP{"clocks", "equal_ratios_p"};
constexpr NumberName kPartsP{"clocks", "equal_ratios_p_of_parts"};
constexpr NumberName kRungShare{"clocks", "rung_share"};

constexpr const char* kEarlier = "below_128";
constexpr const char* kLater = "from_128";

/// "2.98, 3.05, 2.93".
LocalizedText listed_ratios(const std::vector<double>& ratios) {
  std::vector<std::string> texts;
  for (const double ratio : ratios) texts.push_back(fmt::format("{:.2f}", HalfAwayFromZero{ratio}));
  return listed(texts);
}

bool has_ladder(const Circles& circles) {
  return circles.circles.size() >= ladder_rule::kLeastRungs;
}

/// What X2 asks of a table, and of every control.
struct Evenness {
  double high = 1;  ///< of p's interval
  double of_parts = 1;
};

bool is_even(const Evenness& of) {
  return of.high <= ladder_rule::kSure && of.of_parts <= ladder_rule::kChance;
}

Evenness evenness_of(const LadderReading& reading) {
  return {.high = reading.ratio_p.high, .of_parts = reading.most_p()};
}

/// The control that passes the rule least: one without a ladder, one that does not pass, or the least sure one.
LadderReading least_sure(const std::vector<Clockwork>& controls, const PlacedRows& placed_alike, const Draws& draws) {
  LadderReading worst{.ratio_p = {.low = 0, .high = 0}};
  bool worst_passes = true;
  for (const auto& control : controls) {
    if (!has_ladder(control.whole)) return {.ratio_p = {.low = 1, .high = 1}};
    auto reading = ladder_reading(control.whole, placed_alike, draws);
    const bool passes = is_even(evenness_of(reading));
    const bool is_worse = passes == worst_passes ? reading.ratio_p.high >= worst.ratio_p.high : worst_passes;
    if (!is_worse) continue;
    worst = std::move(reading);
    worst_passes = passes;
  }
  return worst;
}

/// Those of a family that is counted from 1.
std::vector<const Number*> counted(const Numbers& numbers, const NumberName& family) {
  std::vector<const Number*> all;
  for (size_t i = 1; const Number* one = find_number(numbers, family.of(std::to_string(i))); ++i) all.push_back(one);
  return all;
}

/// From the smallest that one of the ratios can be to the largest.
Interval range_of_ratios(const Numbers& numbers) {
  Interval range = numbers.at(kRatio).interval.value();
  for (const Number* one : counted(numbers, kPaceRatio)) {
    range.low = std::min(range.low, one->interval->low);
    range.high = std::max(range.high, one->interval->high);
  }
  return range;
}

}  // namespace

void add_ladder(Numbers& numbers, const Clockwork& own, const PlacedRows& rows, const DrawnClockworks& drawn,
                const Conditions& conditions) {
  const auto& circles = own.whole;
  const auto most = range_of(values_of(drawn.most, circles_in));
  const Number rungs = with_extremes(NumberBuilder(kRungs, circles_in(own)), drawn, circles_in)
                           .control(most.low, localize("clocks.least_of_most", {{"draws", drawn.most.size()}}), most);
  if (!has_ladder(circles)) {
    numbers.add(rungs);
    return;
  }
  const Draws draws{.seed = conditions.seed,
                    .name = "clocks: ladder",
                    .count = size_of(conditions).resamplings,
                    .threads = conditions.threads};
  const auto reading = ladder_reading(circles, rows, draws);
  const auto control = least_sure(drawn.most, rows, draws);
  const LocalizedText of_null = localize("clocks.random_ladders", settings());
  const LocalizedText of_control = localize("clocks.least_sure_control", settings_with({{"draws", drawn.most.size()}}));
  const LocalizedText same_ends = localize("clocks.same_ends");
  constexpr Interval kAnyP{.low = 0.025, .high = 0.975};
  numbers.add(NumberBuilder(kRatioP, reading.ladder.ratio_p, settings())
                  .interval(reading.ratio_p)
                  .null(0.5, of_null, kAnyP)
                  .control(control.ladder.ratio_p, of_control, control.ratio_p));
  numbers.add(NumberBuilder(kRatio, reading.ladder.ratio)
                  .interval(reading.ratio)
                  .null(reading.ladder.ratio, same_ends)
                  .control(control.ladder.ratio, of_control, control.ratio));
  for (size_t i = 0; i < reading.ratios.size(); ++i) {
    const auto& [value, interval] = reading.ratios[i];
    numbers.add(NumberBuilder(kPaceRatio, std::to_string(i + 1), value, {{"faster", i + 2}, {"slower", i + 1}})
                    .interval(interval)
                    .null(reading.ladder.ratio, same_ends)
                    .control(control.ladder.ratio, of_control, control.ratio));
  }
  for (const auto& [part, of_part] : reading.parts) {
    numbers.add(NumberBuilder(kPartRatio, part, of_part.ladder.ratio,
                              {{"part", localize("clocks.parts." + part, settings())},
                               {"ratios", listed_ratios(of_part.ratios)},
                               {"turns", of_part.slowest_turns},
                               {"p", of_part.ladder.ratio_p}})
                    .null(reading.ladder.ratio, same_ends)
                    .control(control.ladder.ratio, of_control, control.ratio));
    const auto controls = control.parts.find(part);
    numbers.add(NumberBuilder(kTurnsOfSlowest, part, of_part.slowest_turns,
                              {{"part", localize("clocks.parts." + part, settings())}})
                    .null(of_part.slowest_turns, same_ends)
                    .control(controls == control.parts.end() ? 0 : controls->second.slowest_turns, of_control));
    if (part != kEarlier && part != kLater) continue;
    const NumberName& family = part == kLater ? kLaterRatio : kEarlierRatio;
    for (size_t i = 0; i < of_part.ratios.size(); ++i) {
      FormatArgs args = settings_with({{"faster", i + 2}, {"slower", i + 1}});
      numbers.add(NumberBuilder(family, std::to_string(i + 1), of_part.ratios[i], args)
                      .null(reading.ladder.ratio, same_ends)
                      .control(control.ladder.ratio, of_control, control.ratio));
    }
  }
  numbers.add(NumberBuilder(kLogSpread, reading.ladder.log_spread)
                  .interval(reading.log_spread)
                  .null(median(elements(reading.random)), of_null, middle_95_percent(elements(reading.random)))
                  .control(control.ladder.log_spread, of_control, control.log_spread));
  numbers.add(NumberBuilder(kPartsP, reading.most_p(), settings())
                  .null(0.5, of_null, kAnyP)
                  .control(control.most_p(), of_control));
  const auto share = [](const Clockwork& one) { return one.whole.share(); };
  numbers.add(with_extremes(NumberBuilder(kRungShare, own.whole.share(), settings()), drawn, share));
  numbers.add(rungs);
}

namespace {

LocalizedText words_of_family(const Numbers& numbers, const NumberName& family) {
  std::vector<double> ratios;
  for (const Number* one : counted(numbers, family)) ratios.push_back(one->value);
  return listed_ratios(ratios);
}

}  // namespace

LocalizedText words_of_ratios(const Numbers& numbers) {
  return words_of_family(numbers, kPaceRatio);
}

LocalizedText words_of_parts(const Numbers& numbers) {
  const Number* early = find_number(numbers, kTurnsOfSlowest.of(kEarlier));
  if (early == nullptr) return {};
  const LocalizedText parts =
      localize("clocks.answer.later", settings_with({{"ratios", words_of_family(numbers, kLaterRatio)}}));
  const LocalizedText before =
      localize("clocks.answer.earlier",
               settings_with({{"ratios", words_of_family(numbers, kEarlierRatio)}, {"slowest", early->value}}));
  return {parts.en + before.en, parts.zh + before.zh};
}

bool was_asked(const Numbers& ladder) {
  return find_number(ladder, kRatio) != nullptr;
}

double p_of_ladder(const Numbers& ladder) {
  return ladder.value(kRatioP);
}

double p_of_parts(const Numbers& ladder) {
  return ladder.value(kPartsP);
}

Verdict judge_ladder(const Numbers& numbers) {
  Verdict verdict;
  verdict.observation = Observation::cannot_be_told;
  if (!was_asked(numbers)) {
    verdict.reason =
        localize("clocks.reason.few", {{"circles", numbers.value(kRungs)}, {"rungs", ladder_rule::kLeastRungs}});
    return verdict;
  }
  const Interval p = numbers.at(kRatioP).interval.value();
  const Evenness own{.high = p.high, .of_parts = numbers.value(kPartsP)};
  const Evenness control{.high = numbers.at(kRatioP).control->interval.value_or(Interval{1, 1}).high,
                         .of_parts = numbers.control(kPartsP)};
  const bool are_circles = numbers.value(kRungShare) >= circle_rule::kMostOf;
  const bool are_apart = numbers.value(kRatio) >= ladder_rule::kLeastMeanRatio;
  const bool control_passes = is_even(control) && numbers.control(kRungShare) >= circle_rule::kMostOf &&
                              numbers.control(kRatio) >= ladder_rule::kLeastMeanRatio;
  const bool all_told = are_circles && are_apart;
  const Interval ratios = range_of_ratios(numbers);
  if (control_passes && all_told && is_even(own)) {
    verdict.observation = Observation::holds;
    verdict.inference =
        ratios.low <= kOptimum && kOptimum <= ratios.high ? Inference::not_tested : Inference::does_not_follow;
  } else if (control_passes && all_told && p.low > ladder_rule::kChance) {
    verdict.observation = Observation::fails;
  }
  verdict.number = kRatioP.name;
  if (verdict.observation == Observation::cannot_be_told) {
    verdict.number = deciding_number({{kRatioP, own.high <= ladder_rule::kSure},
                                      {kPartsP, own.of_parts <= ladder_rule::kChance},
                                      {kRungShare, are_circles},
                                      {kRatio, are_apart}});
  }
  verdict.reason = localize("clocks.reason.X2", {{"ratios", words_of_ratios(numbers)},
                                                 {"low", ratios.low},
                                                 {"high", ratios.high},
                                                 {"p", numbers.value(kRatioP)},
                                                 {"p_low", p.low},
                                                 {"p_high", p.high},
                                                 {"parts_p", own.of_parts},
                                                 {"optimum", kOptimum}});
  return verdict;
}

}  // namespace summand::lab::clocks
