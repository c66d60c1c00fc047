#include "train/run/most_common.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace summand::train {

std::vector<size_t> most_common(std::span<const uint64_t> counts, size_t most) {
  std::vector<size_t> places(counts.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (places.size() <= most) return places;
  std::ranges::stable_sort(places, std::greater(), [&](size_t place) { return counts[place]; });
  places.resize(most);
  std::ranges::sort(places);
  return places;
}

}  // namespace summand::train
