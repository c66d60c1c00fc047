#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"

namespace summand::api {

/// What becomes of the rows of a text's windows, coordinate by coordinate.
enum class WindowPooling { mean, maximum };

/// Texts that are too long are divided into windows instead of cut.
struct WindowOptions {
  WindowPooling pooling = WindowPooling::mean;
  size_t overlap = 0;  ///< tokens that neighbours share, at most; see text::WindowLimits
};

/// What was divided.
struct WindowCount {
  size_t texts_divided = 0;  ///< texts of more than one window
  size_t windows = 0;        ///< of all texts together

  void add(size_t windows_of_text) {
    texts_divided += windows_of_text > 1 ? 1 : 0;
    windows += windows_of_text;
  }
};

/// Combines the rows of a text's windows as they come. The mean weighs every window alike and sums in double, in the
/// order of the windows, so that its bits do not depend on which of them were run together. One row stays as it is, bit
/// for bit.
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
