#include "lab/statistics/holm.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace summand::lab {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t index) { return p_values[index]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(order.size() - rank) * p_values[order[rank]]);
    adjusted[order[rank]] = std::min(largest, 1.0);
  }
  return adjusted;
}

}  // namespace summand::lab
