#pragma once

#include <span>
#include <vector>

#include "base/matrix_view.hpp"
#include "summand/windows.hpp"

namespace summand::api {

using summand::WindowCount;
using summand::WindowOptions;
using summand::WindowPooling;

/// Combines the rows of a text's windows one by one. The mean sums in double, in the order of the windows, so that its
/// bits do not depend on batching. A single row stays unchanged.
class WindowCombiner {
 public:
  explicit WindowCombiner(WindowPooling pooling) : pooling_(pooling) {}

  /// @param row  [width], the same width each time
  void add(std::span<const float> row);
  /// [width]; empty if no row was added.
  [[nodiscard]] std::vector<float> combined() const;

 private:
  WindowPooling pooling_;
  std::vector<double> sum_or_maximum_;  // [width]
  size_t rows_ = 0;
};

/// @param rows  [windows, width], the windows of one text in order
/// @return [width]
[[nodiscard]] std::vector<float> combine_windows(WindowPooling pooling, MatrixView<const float> rows);

}  // namespace summand::api
