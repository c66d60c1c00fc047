#include "api/batches/window_combiner.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace summand::api {

void WindowCombiner::add(std::span<const float> row) {
  SUMMAND_ASSERT(rows_ == 0 || row.size() == sum_or_maximum_.size());
  SUMMAND_ASSERT(pooling_ != WindowPooling::transformer);
  if (++rows_ == 1) {
    sum_or_maximum_.assign(row.begin(), row.end());
    return;
  }
  switch (pooling_) {
    case WindowPooling::mean:
      for (size_t i = 0; i < row.size(); ++i) sum_or_maximum_[i] += row[i];
      return;
    case WindowPooling::maximum:
      for (size_t i = 0; i < row.size(); ++i) sum_or_maximum_[i] = std::max<double>(sum_or_maximum_[i], row[i]);
      return;
    case WindowPooling::transformer:
      break;  // which engine::WindowEncoder combines
  }
  __builtin_unreachable();
}

std::vector<float> WindowCombiner::combined() const {
  const double divisor = pooling_ == WindowPooling::mean ? static_cast<double>(rows_) : 1.0;
  std::vector<float> result;
  result.reserve(sum_or_maximum_.size());
  for (const double value : sum_or_maximum_) result.push_back(static_cast<float>(value / divisor));
  return result;
}

std::vector<float> combine_windows(WindowPooling pooling, MatrixView<const float> rows) {
  WindowCombiner combiner(pooling);
  for (size_t window = 0; window < rows.rows(); ++window) combiner.add(rows.row(window));
  return combiner.combined();
}

}  // namespace summand::api
