#include "serve/work/job.hpp"

#include <cmath>

namespace summand::serve {

void Computation::measured(size_t tokens, double seconds) {
  const double kept = std::exp2(-seconds);
  tokens_ = kept * tokens_ + static_cast<double>(tokens);
  seconds_ = kept * seconds_ + seconds;
  if (seconds_ > 0) rate_.store(tokens_ / seconds_, std::memory_order_relaxed);
}

}  // namespace summand::serve
