#include "train/study/verdict.hpp"

#include <algorithm>
#include <array>

#include "lab/statistics/holm.hpp"
#include "lab/statistics/paired_difference.hpp"

namespace summand::train {

std::span<const model::EnumName<StudyVerdict>> enum_names(StudyVerdict) {
  static constexpr std::array names{
      model::EnumName{StudyVerdict::hurts, "hurts"},
      model::EnumName{StudyVerdict::helps, "helps"},
      model::EnumName{StudyVerdict::equivalent, "equivalent"},
      model::EnumName{StudyVerdict::inconclusive, "inconclusive"},
  };
  return names;
}

std::vector<Judgement> judge(std::span<const Differences> family, double level) {
  std::vector<double> differing, equivalent;
  for (const Differences& one : family) {
    const lab::PairedDifference difference(one.values);
    differing.push_back(std::min(1.0, 2 * std::min(difference.p_above(one.margin), difference.p_below(-one.margin))));
    equivalent.push_back(difference.p_equivalent(one.margin));
  }
  differing = lab::holm_adjusted(differing);
  equivalent = lab::holm_adjusted(equivalent);
  std::vector<Judgement> judgements;
  for (size_t index = 0; index < family.size(); ++index) {
    Judgement judgement{.p_difference = differing[index], .p_equivalent = equivalent[index]};
    if (judgement.p_difference <= level) {
      const bool worse = lab::PairedDifference(family[index].values).mean() > 0;
      judgement.verdict = worse ? StudyVerdict::hurts : StudyVerdict::helps;
    } else if (judgement.p_equivalent <= level) {
      judgement.verdict = StudyVerdict::equivalent;
    }
    judgements.push_back(judgement);
  }
  return judgements;
}

}  // namespace summand::train
