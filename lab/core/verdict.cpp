#include "lab/core/verdict.hpp"

#include <algorithm>

#include "lab/core/localize.hpp"

namespace summand::lab {

std::string deciding_number(std::initializer_list<Condition> conditions) {
  const auto* unmet = std::ranges::find(conditions, false, &Condition::met);
  return std::string((unmet != conditions.end() ? unmet : conditions.begin())->number);
}

const LocalizedText& words_of(Observation observation) {
  static const LocalizedText holds = localize("core.verdict.holds");
  static const LocalizedText fails = localize("core.verdict.fails");
  static const LocalizedText cannot_be_told = localize("core.verdict.cannot_be_told");
  static const LocalizedText not_judged = localize("core.verdict.not_judged");
  static const LocalizedText not_measured = localize("core.verdict.not_measured");
  switch (observation) {
    case Observation::holds:
      return holds;
    case Observation::fails:
      return fails;
    case Observation::cannot_be_told:
      return cannot_be_told;
    case Observation::not_judged:
      return not_judged;
    case Observation::not_measured:
      return not_measured;
  }
  __builtin_unreachable();
}

const LocalizedText& words_of(Inference inference) {
  static const LocalizedText follows = localize("core.verdict.follows");
  static const LocalizedText does_not_follow = localize("core.verdict.does_not_follow");
  static const LocalizedText not_tested = localize("core.verdict.not_tested");
  switch (inference) {
    case Inference::follows:
      return follows;
    case Inference::does_not_follow:
      return does_not_follow;
    case Inference::not_tested:
      return not_tested;
  }
  __builtin_unreachable();
}

const LocalizedText& words_of(Truth truth) {
  static const LocalizedText true_here = localize("core.verdict.true_here");
  static const LocalizedText false_here = localize("core.verdict.false_here");
  static const LocalizedText open = localize("core.verdict.open");
  switch (truth) {
    case Truth::true_here:
      return true_here;
    case Truth::false_here:
      return false_here;
    case Truth::open:
      return open;
  }
  __builtin_unreachable();
}

const LocalizedText& words_of(Kind kind) {
  static const LocalizedText algebra = localize("core.verdict.algebra");
  static const LocalizedText code = localize("core.verdict.code");
  static const LocalizedText data = localize("core.verdict.data");
  switch (kind) {
    case Kind::algebra:
      return algebra;
    case Kind::code:
      return code;
    case Kind::data:
      return data;
  }
  __builtin_unreachable();
}

}  // namespace summand::lab
