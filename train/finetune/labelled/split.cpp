#include "train/finetune/labelled/split.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/random_stream.hpp"

namespace summand::train {

namespace {

/// Rows with one label, in a drawn order, of which the first are held out.
struct Stratum {
  std::vector<size_t> rows;
  size_t held = 0;
  double rest = 0;  ///< what rounding down took from it
};

std::vector<Stratum> strata_of(std::span<const int32_t> labels, double share, uint64_t seed) {
  std::map<int32_t, std::vector<size_t>> by_label;
  for (size_t row = 0; row < labels.size(); ++row) by_label[labels[row]].push_back(row);
  std::vector<Stratum> strata;
  for (auto& [label, rows] : by_label) {
    RandomStream(seed, fmt::format("split {}", label)).shuffle(std::span(rows));
    const double exact = share * static_cast<double>(rows.size());
    strata.push_back({.rows = std::move(rows), .held = static_cast<size_t>(exact), .rest = exact - std::floor(exact)});
  }
  return strata;
}

}  // namespace

Split stratified_split(std::span<const int32_t> labels, double share, uint64_t seed) {
  std::vector<Stratum> strata = strata_of(labels, share, seed);
  const auto asked = std::max<size_t>(1, static_cast<size_t>(std::llround(share * static_cast<double>(labels.size()))));
  size_t held = 0;
  for (const Stratum& stratum : strata) held += stratum.held;
  RandomStream(seed, "split ties").shuffle(std::span(strata));
  std::ranges::stable_sort(strata, std::greater(),
                           [](const Stratum& one) { return std::pair(one.held == 0, one.rest); });
  for (Stratum& stratum : strata) {
    if (held >= asked || stratum.held + 1 >= stratum.rows.size()) continue;
    ++stratum.held;
    ++held;
  }
  Split split;
  for (const Stratum& stratum : strata) {
    const auto middle = stratum.rows.begin() + static_cast<std::ptrdiff_t>(stratum.held);
    split.held_out.insert(split.held_out.end(), stratum.rows.begin(), middle);
    split.train.insert(split.train.end(), middle, stratum.rows.end());
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.held_out);
  return split;
}

}  // namespace summand::train
