#pragma once

namespace summand::lab {

/// A range: the middle 95 % of resamplings or draws, unless the number's label says otherwise.
struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace summand::lab
