#include "lab/experiments/clocks/clock_settings.hpp"

#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/experiments/clocks/drawn_clockworks.hpp"
#include "lab/experiments/clocks/parts.hpp"
#include "lab/experiments/clocks/planted_circles.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/step_motion.hpp"

namespace summand::lab::clocks {

FormatArgs settings() {
  using namespace circle_rule;
  using namespace ladder_rule;
  return {{"variance_percent", 100 * StepMotion::kVariance},
          {"rows_per_component", StepMotion::kRowsPerComponent},
          {"turns", kLeastTurns},
          {"variation", kMostVariation},
          {"coherence_over_turn", kLeastCoherence},
          {"pace_change", kMostPaceChange},
          {"radius_change", kMostRadiusChange},
          {"coherent", kCoherent},
          {"step", kStepsCompared},
          {"one_motion", kOneMotion},
          {"least_ratio", kLeastMeanRatio},
          {"neighbourhood", kNeighbourhood},
          {"short", kShortSequence},
          {"least_part", kLeastPartRows},
          {"shown_percent", 100 * kShownShare},
          {"lengths", listed(kSmoothLengths)},
          {"planted", listed(kPlantedCircles)},
          {"noise_percent", 100 * kPlantedNoise},
          {"pace_percent", 100 * kPlantedDrift},
          {"most_of", kMostOf},
          {"little", kLittle},
          {"rungs", kLeastRungs},
          {"ladders", kRandomLadders},
          {"sure", kSure},
          {"chance", kChance}};
}

FormatArgs settings_with(const FormatArgs& more) {
  FormatArgs args = settings();
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

}  // namespace summand::lab::clocks
