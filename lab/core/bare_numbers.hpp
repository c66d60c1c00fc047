#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

/// One value that is measured alike on a subject, on its null and on its control.
struct Reading {
  std::string name;  ///< of the number that it becomes
  LocalizedText label;
  double value = 0;
  std::optional<Interval> interval = {};  ///< over draws, where it was drawn several times
};

/// @param args  for the label's places
[[nodiscard]] inline Reading reading(const NumberName& name, double value, const FormatArgs& args = {}) {
  return {.name = name.name, .label = name.label(args), .value = value};
}
/// One of a family.
[[nodiscard]] inline Reading reading(const NumberName& family, std::string_view member, double value,
                                     const FormatArgs& args) {
  return {.name = family.of(member), .label = family.label(args), .value = value};
}

/// What one function measures, always in the same order.
using Readings = std::vector<Reading>;

/// Place by place the median over draws, and where their middle 95 % lie. Draws are made one after the other, on one
/// thread: they may be large.
[[nodiscard]] Readings median_readings(const Draws& draws, const std::function<Readings(RandomStream&)>& of);

/// The readings of a null or of a control.
struct ReferenceReadings {
  LocalizedText of;  ///< of what: "all position rows equal"
  Readings readings;
};

/// Every own reading as a number, with those of the same place in null and control.
/// @pre all three come from the same function
[[nodiscard]] std::vector<Number> with_references(const Readings& own, const ReferenceReadings& null,
                                                  const ReferenceReadings& control);

}  // namespace summand::lab
