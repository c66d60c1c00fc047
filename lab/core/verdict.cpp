#include "lab/core/verdict.hpp"

#include <algorithm>

namespace summand::lab {

std::string deciding_number(std::initializer_list<Condition> conditions) {
  const auto* unmet = std::ranges::find(conditions, false, &Condition::met);
  return std::string((unmet != conditions.end() ? unmet : conditions.begin())->number);
}

const Words& words_of(Observation observation) {
  static const Words holds{"holds", "成立"};
  static const Words fails{"fails", "不成立"};
  static const Words cannot_be_told{"cannot be told", "无法判断"};
  static const Words not_judged{"not judged", "不作判定"};
  static const Words not_measured{"not measured", "未测量"};
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
  static const Words follows{"follows", "可推出"};
  static const Words does_not_follow{"does not follow", "推不出"};
  static const Words not_tested{"not tested", "未检验"};
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
  static const Words true_here{"true", "真"};
  static const Words false_here{"false", "假"};
  static const Words open{"open", "未定"};
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
  static const Words algebra{"algebra", "代数"};
  static const Words code{"code", "代码"};
  static const Words data{"data", "数据"};
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
