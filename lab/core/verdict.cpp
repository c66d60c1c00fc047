#include "lab/core/verdict.hpp"

#include <algorithm>

#include "lab/core/wording.hpp"

namespace summand::lab {

std::string deciding_number(std::initializer_list<Condition> conditions) {
  const auto* unmet = std::ranges::find(conditions, false, &Condition::met);
  return std::string((unmet != conditions.end() ? unmet : conditions.begin())->number);
}

const Words& words_of(Observation observation) {
  static const Words holds = wording("core.verdict.holds");
  static const Words fails = wording("core.verdict.fails");
  static const Words cannot_be_told = wording("core.verdict.cannot_be_told");
  static const Words not_judged = wording("core.verdict.not_judged");
  static const Words not_measured = wording("core.verdict.not_measured");
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

const Words& words_of(Inference inference) {
  static const Words follows = wording("core.verdict.follows");
  static const Words does_not_follow = wording("core.verdict.does_not_follow");
  static const Words not_tested = wording("core.verdict.not_tested");
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

const Words& words_of(Truth truth) {
  static const Words true_here = wording("core.verdict.true_here");
  static const Words false_here = wording("core.verdict.false_here");
  static const Words open = wording("core.verdict.open");
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

const Words& words_of(Kind kind) {
  static const Words algebra = wording("core.verdict.algebra");
  static const Words code = wording("core.verdict.code");
  static const Words data = wording("core.verdict.data");
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
