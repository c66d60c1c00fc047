#pragma once

#include <string>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/estimate.hpp"

namespace summand::lab::own {

/// What an experiment of somebody's own found.
struct Effects {
  Estimate own;              ///< over texts
  std::vector<double> null;  ///< draw by draw
  double limit = 0;          ///< the null's 97.5 %
  double control = 0;
};

/// The effect with its interval beside the null's draws and the control. @param axis  what is read
[[nodiscard]] Figure effects_figure(const std::string& name, const Effects& effects, const LocalizedText& axis);

}  // namespace summand::lab::own
