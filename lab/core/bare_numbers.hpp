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

/// A number without its null and control: one value, measured alike on a subject, on its null and on its control.
struct BareNumber {
  std::string name;  ///< of the number that it becomes
  LocalizedText label;
  double value = 0;
  std::optional<Interval> interval = {};  ///< over draws, where it was drawn several times
};

/// @param args  for the label's places
[[nodiscard]] inline BareNumber bare_number(const NumberName& name, double value, const FormatArgs& args = {}) {
  return {.name = name.name, .label = name.label(args), .value = value};
}
/// One of a family.
[[nodiscard]] inline BareNumber bare_number(const NumberName& family, std::string_view member, double value,
                                            const FormatArgs& args) {
  return {.name = family.of(member), .label = family.label(args), .value = value};
}

/// What one function measures, always in the same order.
using BareNumbers = std::vector<BareNumber>;

/// Place by place the median over draws, and where their middle 95 % lie. Draws are made one after the other, on one
/// thread: they may be large.
[[nodiscard]] BareNumbers median_numbers(const Draws& draws, const std::function<BareNumbers(RandomStream&)>& of);

/// The numbers of a null or of a control.
struct ReferenceNumbers {
  LocalizedText of;  ///< of what: "all position rows equal"
  BareNumbers numbers;
};

/// Every bare number of the subject as a full number, with those of the same place in null and control.
/// @pre all three come from the same function
[[nodiscard]] std::vector<Number> with_references(const BareNumbers& own, const ReferenceNumbers& null,
                                                  const ReferenceNumbers& control);

}  // namespace summand::lab
