#include "lab/experiments/clocks/clock_settings.hpp"

#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/experiments/clocks/drawn_clockworks.hpp"
#include "lab/experiments/clocks/parts.hpp"
#include "lab/experiments/clocks/planted_circles.hpp"
#include "lab/nulls/position_parts.hpp"

namespace summand::lab::clocks {

Fills settings() {
  using namespace circle_rule;
  using namespace ladder_rule;
  return {{"most_components", kMostComponents},
          {"turns", kLeastTurns},
          {"variation", kMostVariation},
          {"drift", kMostDrift},
          {"coherent", kCoherent},
          {"neighbourhood", kNeighbourhood},
          {"own", kLeastOwn},
          {"pace_stretches", kMostStretches},
          {"pace_change", kMostPaceChange},
          {"radius_change", kMostRadiusChange},
          {"turn_rows", kLeastTurnRows},
          {"pace_variation", kMostPaceVariation},
          {"most_circles", kMostComponents / 2},
          {"difference_percent", 100 * kMostDifference},
          {"stretches", kStretches},
          {"short", kShortSequence},
          {"least_part", kLeastPartRows},
          {"energy_percent", 100 * kMostEnergy},
          {"named_bands", kNamedBands},
          {"lengths", listed(kSmoothLengths)},
          {"planted", listed(kPlantedCircles)},
          {"noise_percent", 100 * kPlantedNoise},
          {"pace_percent", 100 * kPlantedDrift},
          {"most_of", kMostOf},
          {"little", kLittle},
          {"same", kSameShare},
          {"less", kLessShare},
          {"rungs", kLeastRungs},
          {"ladders", kRandomLadders},
          {"sure", kSure},
          {"chance", kChance}};
}

Fills settings_with(const Fills& more) {
  Fills fills = settings();
  fills.insert(fills.end(), more.begin(), more.end());
  return fills;
}

}  // namespace summand::lab::clocks
