#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/contract.hpp"
#include "model/enum_names.hpp"
#include "model/positions/ops.hpp"

namespace summand::model {

/// Layout of the sine and cosine columns.
enum class SinusoidLayout {
  interleaved,  ///< columns 2i and 2i+1 share one frequency (Vaswani et al. 2017)
  halves,       ///< columns i and i+width/2 share one frequency (tensor2tensor's code)
};

[[nodiscard]] std::span<const EnumName<SinusoidLayout>> enum_names(SinusoidLayout);

namespace sinusoidal {

/// Common part of all tables of sines and cosines.
template <class Self, class Visitor>
void visit_fields(Self& self, Visitor&& visit) {
  visit("first_index", self.first_index);
  visit("layout", self.layout);
  visit("scale", self.scale);
}

/// "width: expected an even one, got 3"; empty where nothing is wrong.
[[nodiscard]] inline std::string validation_error(TableSize size) {
  return size.columns % 2 == 0
             ? ""
             : fmt::format("kind: expected a table of an even width for sines and cosines, got {}", size.columns);
}

/// sin(x·f) and cos(x·f) of positions x = first_index, first_index + 1, …
/// @param frequencies  [1, width / 2]
template <TableOps Ops, class Self>
[[nodiscard]] typename Ops::Value table(const Self& self, Ops& ops, TableSize size,
                                        const typename Ops::Value& frequencies) {
  const auto angles = ops.product(ops.constant(indices(size.rows, static_cast<double>(self.first_index))), frequencies);
  const auto halves = ops.side_by_side(ops.sine(angles), ops.cosine(angles));
  if (self.layout == SinusoidLayout::halves) return ops.scaled(halves, self.scale);
  std::vector<size_t> by_turns;
  for (size_t i = 0; i < size.columns / 2; ++i) by_turns.insert(by_turns.end(), {i, i + size.columns / 2});
  return ops.scaled(ops.columns(halves, by_turns), self.scale);
}

/// base^(−2i/width), i = 0 … width/2 − 1. @return [1, width / 2]
[[nodiscard]] inline Matrix<double> exponential_frequencies(double base, size_t width) {
  Matrix<double> row(1, width / 2);
  for (size_t i = 0; i < row.columns(); ++i) {
    row(0, i) = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
  }
  return row;
}

}  // namespace sinusoidal

/// Sines and cosines of frequencies base^(−2i/width).
/// Source: Vaswani et al. 2017, section 3.5
struct SinusoidalPositions {
  static constexpr std::string_view kName = "sinusoidal";

  double base = 10000.0;    ///< above 0; the longest wavelength is 2π·base
  int64_t first_index = 0;  ///< the position of a text's first token
  SinusoidLayout layout = SinusoidLayout::interleaved;
  double scale = 1.0;  ///< multiplies the table

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("base", self.base);
    sinusoidal::visit_fields(self, visit);
  }
  [[nodiscard]] std::string fault(TableSize size) const {
    if (!(base > 0)) return fmt::format("base: expected a number above 0, got {}", base);
    return sinusoidal::validation_error(size);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize size) const {
    return sinusoidal::table(*this, ops, size, ops.constant(sinusoidal::exponential_frequencies(base, size.columns)));
  }
  bool operator==(const SinusoidalPositions&) const = default;
};

/// Sines and cosines of frequencies (i + 1)^−exponent, i = 0 … width/2 − 1: spaced as powers, not as an exponential.
struct PowerPositions {
  static constexpr std::string_view kName = "sinusoidal_powers";

  double exponent = 1.0;
  int64_t first_index = 0;  ///< the position of a text's first token
  SinusoidLayout layout = SinusoidLayout::interleaved;
  double scale = 1.0;  ///< multiplies the table

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("exponent", self.exponent);
    sinusoidal::visit_fields(self, visit);
  }
  [[nodiscard]] std::string fault(TableSize size) const {
    if (!std::isfinite(exponent)) return fmt::format("exponent: expected a finite number, got {}", exponent);
    return sinusoidal::validation_error(size);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize size) const {
    Matrix<double> frequencies(1, size.columns / 2);
    for (size_t i = 0; i < frequencies.columns(); ++i) {
      frequencies(0, i) = std::pow(static_cast<double>(i) + 1, -exponent);
    }
    return sinusoidal::table(*this, ops, size, ops.constant(frequencies));
  }
  bool operator==(const PowerPositions&) const = default;
};

/// Sines and cosines of learned frequencies, which start as Vaswani's of this base.
struct TrainedSinusoids {
  static constexpr std::string_view kName = "sinusoidal_trained";
  static constexpr const char* kFrequencies = "position_frequencies";

  int64_t first_index = 0;  ///< the position of a text's first token
  SinusoidLayout layout = SinusoidLayout::interleaved;
  double scale = 1.0;  ///< multiplies the table

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    sinusoidal::visit_fields(self, visit);
  }
  [[nodiscard]] std::string fault(TableSize size) const { return sinusoidal::validation_error(size); }
  void add_parameters(Contract& contract, TableSize size) const {
    contract.vector(kFrequencies, size.columns / 2, Initialiser::sinusoid_frequencies);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize size) const {
    return sinusoidal::table(*this, ops, size, ops.parameter(kFrequencies));
  }
  bool operator==(const TrainedSinusoids&) const = default;
};

}  // namespace summand::model
