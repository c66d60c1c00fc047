#pragma once

#include <utility>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/experiments/clocks/clock_settings.hpp"
#include "lab/experiments/clocks/drawn_clockworks.hpp"
#include "lab/statistics/range.hpp"

namespace summand::lab::clocks {

template <class Of>
[[nodiscard]] std::vector<double> values_of(const std::vector<Clockwork>& draws, const Of& of) {
  std::vector<double> values;
  for (const auto& one : draws) values.push_back(of(one));
  return values;
}

/// The null is the largest of the nulls and the control the least of the controls: rules ask for all of them.
template <class Of>
[[nodiscard]] NumberBuilder with_extremes(NumberBuilder number, const DrawnClockworks& drawn, const Of& of) {
  const auto nulls = range_of(values_of(drawn.nulls, of));
  const auto controls = range_of(values_of(drawn.controls, of));
  // As many draws of every kind.
  const auto text = [&](const char* name, size_t draws) {
    return localize(name, settings_with({{"draws", draws}, {"each", drawn.walks.size()}}));
  };
  return number.null(nulls.high, text("clocks.largest_of_nulls", drawn.nulls.size()), nulls)
      .control(controls.low, text("clocks.least_of_controls", drawn.controls.size()), controls);
}

[[nodiscard]] inline double circles_in(const Clockwork& one) {
  return static_cast<double>(one.whole.circles.size());
}

}  // namespace summand::lab::clocks
