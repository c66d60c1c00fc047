#include "lab/results/learned.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/results/found_claim.hpp"
#include "lab/results/in_short.hpp"

namespace summand::lab {

namespace {

using Reports = std::span<const ExperimentResult>;

constexpr std::array kShifts{1, 4, 8, 32};  // positions that 3.5 moves rows on by
constexpr double kOneMotion = 0.9;          // of the distances kept: from here on it is said that a step is one motion
constexpr double kLeftBeyond = 0.5;         // of what random tables leave, at most: as 3.5 has it
constexpr double kExact = 0.99;             // kept by random tables too: of a random walk, no finding

double percent(const Number& number) {
  return 100 * number.value;
}

Learned of(const char* text, const FormatArgs& args, std::string claim, std::string number) {
  const auto place = [&](const char* part) { return fmt::format("results.learned.{}.{}", text, part); };
  return {.name = localize(place("name"), args),
          .words = localize(place("words"), args),
          .claim = std::move(claim),
          .number = std::move(number)};
}

/// X1: circles that turn, each at its own pace. What is said of them is the experiment's answer.
std::optional<Learned> circles(Reports reports) {
  const FoundClaim claim = found_claim(reports, "X1");
  if (!claim.is(Observation::holds)) return {};
  return Learned{
      .name = localize("results.learned.circles.name"),
      .words = behind_yes_or_no(claim.report->experiment->answer(claim.report->findings, claim.report->verdicts)),
      .claim = "X1",
      .number = claim.verdict->number.empty() ? claim.numbers->all().front().name : claim.verdict->number,
      .is_verdict = true};
}

/// 3.5: one motion takes every row to the one so many positions on.
std::optional<Learned> one_motion(Reports reports) {
  const FoundClaim claim = found_claim(reports, "3.5");
  if (!claim.is(Observation::holds)) return {};
  const int far = kShifts.back();
  const auto name = fmt::format("kept_{}", far);
  const Number* kept = claim.number(name);
  if (kept == nullptr) return {};
  auto result = of("one_motion", {{"shift", far}, {"kept", kept->value}, {"random", kept->null->interval.value().high}},
                   "3.5", name);
  result.is_verdict = true;
  return result;
}

/// Whether nearly all distances are kept, and half as few lost as in 97.5 % of the Gaussian tables with the same lag
/// kernel.
bool is_one_motion(const FoundClaim& claim, int shift) {
  const Number* kept = claim.number(fmt::format("kept_{}", shift));
  if (kept == nullptr || kept->value < kOneMotion) return false;
  const double random = kept->null->interval.value().high;
  return random < kExact && 1 - kept->value <= kLeftBeyond * (1 - random);
}

/// What copies with joint random phases keep, where that is as much: they have the same columns going together.
LocalizedText phases_alike(const FoundClaim& claim, int shift, double kept) {
  const Number* phases = claim.number(fmt::format("joint_phases_{}", shift));
  if (phases == nullptr || phases->interval.value().high < kept) return {};
  return localize("results.learned.near_motion.phases",
                  {{"low", phases->interval->low}, {"high", phases->interval->high}});
}

/// The same over a few steps alone.
std::optional<Learned> near_motion(Reports reports) {
  const FoundClaim claim = found_claim(reports, "3.5");
  if (claim.is(Observation::holds)) return {};
  size_t steps = 0;
  while (steps < kShifts.size() && is_one_motion(claim, kShifts[steps])) ++steps;
  if (steps == 0) return {};
  const int shift = kShifts[steps - 1];
  const auto name = fmt::format("kept_{}", shift);
  const Number& kept = claim.numbers->at(name);
  LocalizedText beyond;
  if (steps < kShifts.size()) {
    const Number& next = claim.numbers->at(fmt::format("kept_{}", kShifts[steps]));
    beyond = localize("results.learned.near_motion.beyond", {{"shift", kShifts[steps]}, {"kept", next.value}});
  }
  return of(shift == 1 ? "next_motion" : "near_motion",
            {{"shift", shift},
             {"kept", kept.value},
             {"random", kept.null->interval.value().high},
             {"phases", phases_alike(claim, shift, kept.value)},
             {"beyond", beyond}},
            "3.5", name);
}

/// 0.9: neighbours in the text are neighbours in the table.
std::optional<Learned> path(Reports reports) {
  const FoundClaim claim = found_claim(reports, "0.9");
  const bool holds = claim.is(Observation::holds);
  const Number* near = claim.number("continuity_5");
  const Number* walk = claim.number("random_walk_continuity_5");
  if (near == nullptr || walk == nullptr || claim.is(Observation::fails) || near->value <= 2 * near->null->value) {
    return {};
  }
  auto result =
      of(holds ? "path" : "loose_path",
         {{"near", percent(*near)}, {"noise", 100 * near->null->value}, {"walk", percent(*walk)}}, "0.9", near->name);
  result.is_verdict = holds;
  return result;
}

/// E3: fewer components than independent, equally smooth columns would need.
std::optional<Learned> directions(Reports reports) {
  const FoundClaim claim = found_claim(reports, "E3");
  if (!claim.is(Observation::holds)) return {};
  const Number* components = claim.number("components_above_1_percent");
  const Number* left = claim.number("left_by_18");
  if (components == nullptr || left == nullptr) return {};
  auto result = of("directions",
                   {{"components", components->value},
                    {"held", 100 - percent(*left)},
                    {"random_held", 100 - 100 * left->null->value}},
                   "E3", left->name);
  result.is_verdict = true;
  return result;
}

}  // namespace

std::vector<Learned> learned(std::span<const ExperimentResult> reports) {
  std::vector<Learned> all;
  for (const auto find : {circles, one_motion, near_motion, path, directions}) {
    if (auto one = find(reports)) all.push_back(std::move(*one));
  }
  return all;
}

const std::vector<std::string>& experiments_of_table() {
  static const std::vector<std::string> names{"clocks", "relative_position", "continuity", "spectrum"};
  return names;
}

}  // namespace summand::lab
