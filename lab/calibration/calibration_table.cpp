#include <fmt/format.h>

#include "lab/calibration/calibration_file.hpp"
#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/localize.hpp"

namespace summand::lab {

namespace {

/// "0.97 (0.92-0.99)"
std::string rate_text(const std::optional<Rate>& rate) {
  if (!rate) return "-";
  const Interval interval = rate->interval();
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", HalfAwayFromZero{rate->value()}, HalfAwayFromZero{interval.low},
                     HalfAwayFromZero{interval.high});
}

std::string count_text(const std::optional<Rate>& rate) {
  return rate ? fmt::format("{}/{}", rate->seen, rate->of) : "-";
}

// Widths are columns of a terminal, of which a Chinese character takes two: fmt counts so.
std::string row(std::string_view claim, std::string_view length, std::string_view power, std::string_view truths,
                std::string_view false_positives, std::string_view false_truths, std::string_view stable) {
  return fmt::format("{:<6} {:<6} {:<17} {:>7}  {:<17} {:>7}  {:>8}\n", claim, length, power, truths, false_positives,
                     false_truths, stable);
}

std::string truths_text(const std::optional<Rate>& rate) {
  return rate ? fmt::format("{}", rate->of) : "-";
}

}  // namespace

std::string calibration_table(const Calibration& calibration, Language language) {
  const auto text = [&](const char* name) { return in(language, localize(std::string("calibration.table.") + name)); };
  std::string table = row(text("claim"), text("draws"), text("power"), text("truths"), text("false_positives"),
                          text("truths"), text("stable"));
  for (const auto& claim : calibration.claims) {
    for (const auto length : {RunLength::quick, RunLength::full}) {
      if (!claim.stability(length) && !claim.power(length) && !claim.false_positives(length)) continue;
      const auto power = claim.power(length);
      const auto wrong = claim.false_positives(length);
      table += row(claim.claim, text(length == RunLength::quick ? "quick" : "full"), rate_text(power),
                   truths_text(power), rate_text(wrong), truths_text(wrong), count_text(claim.stability(length)));
    }
  }
  for (const auto& one : calibration.without) {
    table += fmt::format("{:<6} {}\n", one.claim, in(language, one.reason));
  }
  return table;
}

}  // namespace summand::lab
