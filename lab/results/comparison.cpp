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
    for (const auto& beside : {number->null, number->control}) {
      if (beside && std::isfinite(beside->value)) scale = std::max(scale, std::abs(beside->value));
    }
  }
  return std::abs(first.value - other.value) <= kRounding * scale ? Likeness::rounding : Likeness::different;
}

void compare_to_first(ComparedNumber& number) {
  const Number* first = number.of.front();
  for (const Number* one : number.of) {
    double relative = std::numeric_limits<double>::quiet_NaN();
    auto likeness = Likeness::missing;
    if (first != nullptr && one != nullptr) {
      likeness = likeness_of(*first, *one);
      if (likeness == Likeness::identical) relative = 0;
      if (first->value != 0) relative = (one->value - first->value) / std::abs(first->value);
    } else if (first == one) {
      likeness = Likeness::identical;
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

const Words& words_of(Likeness likeness) {
  static const Words identical{"identical", "相同"};
  static const Words rounding{"same to rounding", "仅差舍入"};
  static const Words different{"different", "不同"};
  static const Words missing{"not on both", "并非都有"};
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
  return std::ranges::any_of(likeness,
                             [](Likeness one) { return one == Likeness::different || one == Likeness::missing; });
}

bool ComparedClaim::verdicts_differ() const {
  const auto differs = [&](const Verdict& verdict) {
    return verdict.observation != verdicts.front().observation || verdict.inference != verdicts.front().inference;
  };
  const auto concludes_otherwise = [&](const std::optional<Conclusion>& conclusion) {
    return conclusion && conclusion->truth != conclusions.front()->truth;  // all conclude something, or none does
  };
  return std::ranges::any_of(verdicts, differs) || std::ranges::any_of(conclusions, concludes_otherwise);
}

const Words& words_of_conclusion(const std::optional<Conclusion>& conclusion) {
  static const Words nothing{"-", "-"};
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
      const Conclusion conclusion{.truth = of_run[i].truth, .told_by = of_run[i].told_by};
      claim.conclusions.push_back(concludes ? std::optional(conclusion) : std::nullopt);
      numbers.push_back(of_run[i].numbers);
    }
    claim.numbers = compared_numbers(numbers);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace summand::lab
