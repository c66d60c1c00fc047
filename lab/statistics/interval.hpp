#pragma once

namespace summand::lab {

/// Where 95 of 100 resamplings lie; only where something was sampled.
struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace summand::lab
