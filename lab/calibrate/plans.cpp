#include <algorithm>
#include <iterator>
#include <utility>

#include "lab/calibrate/planting.hpp"

namespace summand::lab {

namespace {

LocalizedText localize_if_any(const std::string& path) {
  return has_text(path) ? localize(path) : LocalizedText{};
}

}  // namespace

LocalizedText Planting::words() const {
  return localize("calibrate.plantings." + name, ranges);
}

const std::vector<Planting>& plantings() {
  static const std::vector<Planting> all = [] {
    std::vector<Planting> list;
    for (auto& some :
         {shape_plantings(), distance_plantings(), circle_plantings(), part_plantings(), model_plantings()}) {
      std::ranges::copy(some, std::back_inserter(list));
    }
    return list;
  }();
  return all;
}

ClaimPlan plan_of(const std::string& claim) {
  constexpr double kPercent = 0.01;
  static const std::vector<ClaimPlan> plans{
      {.claim = "E1", .number = {}, .thresholds = {"like", "unlike"}},
      {.claim = "E2", .number = {}, .thresholds = {"no_more", "much"}},
      {.claim = "E3", .number = {}, .thresholds = {"fewest", "most"}},
      {.claim = "E4", .number = {}, .thresholds = {"no_spiral", "spiral"}},
      {.claim = "E6", .number = {}, .thresholds = {"does_not", "looks"}},
      {.claim = "E7", .number = {}, .thresholds = {"does_not", "looks"}},
      {.claim = "E8", .number = {}, .thresholds = {"not_learned", "learned"}},
      {.claim = "E9", .number = "trees_over_linear_mse", .thresholds = {"half"}},
      {.claim = "E10", .number = {}, .thresholds = {"better"}},
      {.claim = "3.5", .number = "kept_8"},
      {.claim = "X1", .number = "circle_share", .thresholds = {"most_of"}},
      {.claim = "X2", .number = "equal_ratios_p", .thresholds = {"sure", "chance"}},
      {.claim = "X3", .number = {}, .thresholds = {"least"}},
      {.claim = "0.9", .number = {}, .thresholds = {"not", "continuous"}},
      {.claim = "4.6", .number = {}, .thresholds = {"not_larger", "clearly"}},
      {.claim = "4.2", .number = {}, .thresholds = {"half"}},
      {.claim = "4.8", .number = {}, .thresholds = {"larger"}},
      {.claim = "4.9", .number = "moved_by_doubling", .thresholds = {"little", "much"}},
      {.claim = "4.10", .number = {}, .thresholds = {"enough"}},
      {.claim = "0.1", .number = {}, .thresholds = {"some_percent"}, .scale = kPercent},
      {.claim = "0.2", .number = {}, .thresholds = {"much"}},
      {.claim = "0.8", .number = {}, .thresholds = {"loses"}},
      {.claim = "0.10", .number = {}, .thresholds = {"sparser"}},
      {.claim = "Q8c", .number = {}, .thresholds = {"stays", "moves"}},
      {.claim = "3.1", .number = {}, .thresholds = {"found_percent"}, .scale = kPercent},
      {.claim = "Q1", .number = "own_dominates"}};
  const auto found = std::ranges::find(plans, claim, &ClaimPlan::claim);
  return found == plans.end() ? ClaimPlan{.claim = claim} : *found;
}

LocalizedText why_one_sided(const std::string& claim) {
  return localize_if_any("calibrate.one_sided." + claim);
}

LocalizedText why_not_planted(const std::string& claim) {
  return localize_if_any("calibrate.not_planted." + claim);
}

}  // namespace summand::lab
