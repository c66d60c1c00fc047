#include "train/finetune/split.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/random_stream.hpp"

namespace summand::train {

Split stratified_split(std::span<const int32_t> labels, double share, uint64_t seed) {
  std::map<int32_t, std::vector<size_t>> by_label;
  for (size_t row = 0; row < labels.size(); ++row) by_label[labels[row]].push_back(row);
  Split split;
  for (auto& [label, rows] : by_label) {
    RandomStream(seed, fmt::format("split {}", label)).shuffle(std::span(rows));
    const auto asked = static_cast<size_t>(std::llround(share * static_cast<double>(rows.size())));
    const size_t held = rows.size() < 2 ? 0 : std::clamp(asked, size_t{1}, rows.size() - 1);
    split.held_out.insert(split.held_out.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(held));
    split.train.insert(split.train.end(), rows.begin() + static_cast<std::ptrdiff_t>(held), rows.end());
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.held_out);
  return split;
}

}  // namespace summand::train
