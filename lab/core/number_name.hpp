#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lab/core/localize.hpp"

namespace summand::lab {

/// The name of a number: declared once, it is measured, judged and answered by, and leads to its label, which stands in
/// the experiment's words.json under "numbers".
struct NumberName {
  const char* experiment;
  const char* name;

  constexpr operator std::string_view() const { return name; }  // NOLINT: implicit, wherever a name is asked for

  [[nodiscard]] LocalizedText label(const FormatArgs& args = {}) const {
    return localize(fmt::format("{}.numbers.{}", experiment, name), args);
  }
  /// The name of one of a family: "rank" of "all" is "rank_all". Its label is the family's, filled.
  [[nodiscard]] std::string of(std::string_view member) const { return fmt::format("{}_{}", name, member); }
};

}  // namespace summand::lab
