#include "lab/results/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/results/outcome.hpp"

namespace summand::lab {

namespace {

constexpr double kRounding = 1e-5;  // single precision, through a few sums

Likeness likeness_of(const Number& first, const Number& other) {
  if (first.value == other.value) return Likeness::identical;
  double scale = std::max(std::abs(first.value), std::abs(other.value));
  for (const Number* number : {&first, &other}) {
    for (const auto& reference : {number->null, number->control}) {
      if (reference && std::isfinite(reference->value)) scale = std::max(scale, std::abs(reference->value));
    }
  }
  return std::abs(first.value - other.value) <= kRounding * scale ? Likeness::rounding : Likeness::different;
}

/// @pre one of the checkpoints has it
void compare_to_first(ComparedNumber& number) {
  const Number& first = **std::ranges::find_if(number.of, [](const Number* one) { return one != nullptr; });
  for (const Number* one : number.of) {
    double relative = std::numeric_limits<double>::quiet_NaN();
    auto likeness = Likeness::missing;
    if (one != nullptr) {
      likeness = likeness_of(first, *one);
      if (likeness == Likeness::identical) relative = 0;
      if (first.value != 0) relative = (one->value - first.value) / std::abs(first.value);
    }
    number.likeness.push_back(likeness);
    number.relative.push_back(relative);
  }
}

/// Every number that one of the checkpoints has, in the order of the first that has it.
std::vector<ComparedNumber> compared_numbers(const std::vector<const Numbers*>& of) {
  std::vector<ComparedNumber> rows;
  for (size_t checkpoint = 0; checkpoint < of.size(); ++checkpoint) {
    if (of[checkpoint] == nullptr) continue;
    for (const auto& number : of[checkpoint]->all()) {
      auto row = std::ranges::find(rows, number.name, &ComparedNumber::name);
      if (row == rows.end()) {
        rows.push_back({.name = number.name,
                        .label = number.label,
                        .of = std::vector<const Number*>(of.size()),
                        .likeness = {},
                        .relative = {}});
        row = rows.end() - 1;
      }
      row->of[checkpoint] = &number;
    }
  }
  for (auto& row : rows) compare_to_first(row);
  return rows;
}

}  // namespace

const LocalizedText& words_of(Likeness likeness) {
  static const LocalizedText identical{"identical", "相同"};
  static const LocalizedText rounding{"same to rounding", "仅差舍入"};
  static const LocalizedText different{"different", "不同"};
  static const LocalizedText missing{"not on both", "并非都有"};
  switch (likeness) {
    case Likeness::identical:
      return identical;
    case Likeness::rounding:
      return rounding;
    case Likeness::different:
      return different;
    case Likeness::missing:
      return missing;
  }
  __builtin_unreachable();
}

bool ComparedNumber::differs() const {
  return std::ranges::count(likeness, Likeness::different) > 0;
}

namespace {

bool is_measured(const Verdict& verdict) {
  return verdict.observation != Observation::not_measured;
}

}  // namespace

size_t ComparedClaim::measured() const {
  return static_cast<size_t>(std::ranges::count_if(verdicts, is_measured));
}

bool ComparedClaim::verdicts_differ() const {
  const auto first = static_cast<size_t>(std::ranges::find_if(verdicts, is_measured) - verdicts.begin());
  for (size_t i = first + 1; i < verdicts.size(); ++i) {
    const Verdict& one = verdicts[i];
    if (!is_measured(one)) continue;
    if (one.observation != verdicts[first].observation || one.inference != verdicts[first].inference) return true;
    // All conclude something, or none does.
    if (conclusions[i] && conclusions[i]->truth != conclusions[first]->truth) return true;
  }
  return false;
}

size_t comparable(std::span<const ComparedClaim> claims) {
  return static_cast<size_t>(
      std::ranges::count_if(claims, [](const ComparedClaim& claim) { return claim.measured() > 1; }));
}

const LocalizedText& words_of_conclusion(const std::optional<Conclusion>& conclusion) {
  static const LocalizedText nothing{"-", "-"};
  return conclusion ? words_of(conclusion->truth) : nothing;
}

std::vector<ComparedClaim> compared_claims(std::span<const ComparedRun> runs) {
  std::vector<std::vector<Outcome>> all;
  for (const auto& run : runs) all.push_back(outcomes(run.run.reports, ledger()));
  std::vector<ComparedClaim> claims;
  for (size_t i = 0; i < all.front().size(); ++i) {
    const Outcome& first = all.front()[i];
    if (first.report == nullptr) continue;
    ComparedClaim claim{
        .claim = first.claim, .experiment = first.report->experiment, .verdicts = {}, .conclusions = {}, .numbers = {}};
    // What the document concludes is the rule's, and the same of every checkpoint.
    const bool concludes = !first.rule->conclusion.en.empty();
    std::vector<const Numbers*> numbers;
    for (const auto& of_run : all) {
      claim.verdicts.push_back(of_run[i].verdict);
      const Conclusion conclusion{.truth = of_run[i].truth, .told_by = of_run[i].told_by, .extent = of_run[i].extent};
      claim.conclusions.push_back(concludes ? std::optional(conclusion) : std::nullopt);
      numbers.push_back(of_run[i].numbers);
    }
    claim.numbers = compared_numbers(numbers);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace summand::lab
