#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

/// Fewer draws than these have a median and no interval.
inline constexpr size_t kLeastForInterval = 10;

/// One measurement made of the subject, of each draw of a null and of a positive control: every number that is read
/// off it has both beside it, by the same code.
template <class Measurement>
struct Compared {
  Measurement own;
  std::vector<Measurement> nulls;  ///< one or more
  Measurement control;
  LocalizedText of_null;
  LocalizedText of_control;

  /// Puts the null's median and the control beside a number that is known already.
  /// @param of  from a Measurement to the number
  template <class Of>
  [[nodiscard]] NumberBuilder with_references(NumberBuilder number, const Of& of) const {
    std::vector<double> values;
    for (const auto& one : nulls) values.push_back(of(one));
    std::optional<Interval> range;
    if (values.size() >= kLeastForInterval) range = middle_95_percent(values);
    return number.null(median(values), of_null, range).control(of(control), of_control);
  }
  template <class Of>
  [[nodiscard]] NumberBuilder number(std::string name, LocalizedText label, const Of& of) const {
    return with_references(NumberBuilder(std::move(name), std::move(label), of(own)), of);
  }
  /// @param args  for the label's places
  template <class Of>
  [[nodiscard]] NumberBuilder number(const NumberName& name, const Of& of, const FormatArgs& args = {}) const {
    return with_references(NumberBuilder(name, of(own), args), of);
  }
  /// One of a family.
  template <class Of>
  [[nodiscard]] NumberBuilder number(const NumberName& family, std::string_view member, const Of& of,
                                     const FormatArgs& args) const {
    return with_references(NumberBuilder(family, member, of(own), args), of);
  }
};

}  // namespace summand::lab
