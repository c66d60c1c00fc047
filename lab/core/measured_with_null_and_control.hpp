#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

/// Fewer draws than these have a median and no interval.
inline constexpr size_t kMinDrawsForInterval = 10;

/// One measurement of the checkpoint, of each draw of a null and of a positive control. The same function computes
/// every number from all three.
/// @tparam T  the measurement, or a std::reference_wrapper of it
template <class T>
struct MeasuredWithNullAndControl {
  T own;
  std::vector<T> nulls;  ///< one or more
  T control;
  LocalizedText of_null;
  LocalizedText of_control;

  /// Adds the null (the median of several draws) and the control to a number that is already computed.
  /// @param of  from what was measured to a number, or to an Estimate
  template <class Of>
  [[nodiscard]] NumberBuilder with_references(NumberBuilder number, const Of& of) const {
    return number.null(null(of), of_null).control(read(control, of), of_control);
  }
  template <class Of>
  [[nodiscard]] NumberBuilder number(std::string name, LocalizedText label, const Of& of) const {
    return with_references(NumberBuilder(std::move(name), std::move(label), read(own, of)), of);
  }
  /// @param args  for the label's placeholders
  template <class Of>
  [[nodiscard]] NumberBuilder number(const NumberName& name, const Of& of, const FormatArgs& args = {}) const {
    return with_references(NumberBuilder(name, read(own, of), args), of);
  }
  /// One of a family.
  template <class Of>
  [[nodiscard]] NumberBuilder number(const NumberName& family, std::string_view member, const Of& of,
                                     const FormatArgs& args) const {
    return with_references(NumberBuilder(family, member, read(own, of), args), of);
  }

 private:
  template <class Of>
  [[nodiscard]] static Quantity read(const T& one, const Of& of) {
    return std::invoke(of, static_cast<const std::unwrap_reference_t<T>&>(one));
  }
  template <class Of>
  [[nodiscard]] Quantity null(const Of& of) const {
    if (nulls.size() == 1) return read(nulls.front(), of);
    std::vector<double> values;
    for (const auto& one : nulls) values.push_back(read(one, of).value);
    return values.size() < kMinDrawsForInterval ? Quantity(median(values)) : Quantity(median_estimate(values));
  }
};

/// What was measured of a null or of a control, and of what.
template <class T>
struct Reference {
  std::reference_wrapper<const T> measured;
  LocalizedText of;
};

/// Adds numbers that are read off one comparison: NumberAdder add(numbers, own, {walk, of_walk}, {sine, of_sine}), then
/// add(kScale, &Likeness::scale).
template <class T>
class NumberAdder {
 public:
  /// @param own  outlives the adder, as what was measured of null and control
  NumberAdder(Numbers& numbers, const T& own, const Reference<T>& null, const Reference<T>& control)
      : numbers_(numbers), measured_{std::cref(own), {null.measured}, control.measured, null.of, control.of} {}

  NumberAdder(Numbers& numbers, const Controlled<T>& all, LocalizedText of_null, LocalizedText of_control)
      : NumberAdder(numbers, all.own, {all.null, std::move(of_null)}, {all.control, std::move(of_control)}) {}

  template <class Of>
  void operator()(const NumberName& name, const Of& of) const {
    numbers_.add(measured_.number(name, of));
  }
  /// @param args  for the label's placeholders
  template <class Of>
  void operator()(const NumberName& name, const FormatArgs& args, const Of& of) const {
    numbers_.add(measured_.number(name, of, args));
  }
  /// One of a family.
  template <class Of>
  void operator()(const NumberName& family, std::string_view member, const FormatArgs& args, const Of& of) const {
    numbers_.add(measured_.number(family, member, of, args));
  }
  template <class Of>
  void operator()(std::string name, LocalizedText label, const Of& of) const {
    numbers_.add(measured_.number(std::move(name), std::move(label), of));
  }
  /// One that is known already.
  template <class Of>
  void operator()(NumberBuilder number, const Of& of) const {
    numbers_.add(measured_.with_references(std::move(number), of));
  }

 private:
  Numbers& numbers_;
  MeasuredWithNullAndControl<std::reference_wrapper<const T>> measured_;
};

}  // namespace summand::lab
