#include "train/finetune/row_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace summand::train {

namespace {

constexpr size_t kMostNamed = 8;

}  // namespace

std::string rows_told(const std::string& file, size_t train, const std::string& labels, size_t valid, size_t test) {
  const std::string tested = test > 0 ? fmt::format(", {} to test on", test) : "";
  return fmt::format("{}: {} rows to train on{}, {} to validate on{}", printable(file), train, labels, valid, tested);
}

std::string labels_told(std::span<const EncodedRow> rows, std::span<const std::string> names) {
  std::vector<size_t> counts(names.size());
  for (const EncodedRow& row : rows) {
    for (const int32_t label : row.labels) {
      if (label != kNoLabel) ++counts[static_cast<size_t>(label)];
    }
  }
  const auto told = [&](size_t label) { return fmt::format("{} {}", printable(names[label]), counts[label]); };
  if (names.size() > kMostNamed) {
    const auto [rarest, common] = std::ranges::minmax_element(counts);
    return fmt::format(" ({} labels, from {} to {})", names.size(), told(static_cast<size_t>(rarest - counts.begin())),
                       told(static_cast<size_t>(common - counts.begin())));
  }
  std::string all;
  for (size_t label = 0; label < names.size(); ++label) all += (all.empty() ? "" : ", ") + told(label);
  return " (" + all + ")";
}

}  // namespace summand::train
