#pragma once

namespace summand::train {

/// A part of a whole; 0 of nothing.
[[nodiscard]] inline double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

}  // namespace summand::train
