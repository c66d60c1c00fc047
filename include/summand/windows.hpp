#pragma once

#include <cstddef>

namespace summand {

/// What becomes of the results of a text's windows, coordinate by coordinate.
enum class WindowPooling {
  mean,     ///< their mean, every window weighing alike
  maximum,  ///< the largest
};

/// Texts that are too long are divided instead of cut: into windows of whole words, as far as a word is no longer than
/// a window. Of a pair, the first text stands in every window and the second is divided.
struct WindowOptions {
  WindowPooling pooling = WindowPooling::mean;  ///< how the windows of one text are combined
  size_t overlap = 0;                           ///< tokens that neighbours share: at most so many, whole words
};

/// What was divided.
struct WindowCount {
  size_t texts_divided = 0;  ///< texts of more than one window
  size_t windows = 0;        ///< of all texts together

  /// Counts one text.
  void add(size_t windows_of_text) {
    texts_divided += windows_of_text > 1 ? 1 : 0;
    windows += windows_of_text;
  }
  /// Counts what another has counted.
  void add(const WindowCount& other) {
    texts_divided += other.texts_divided;
    windows += other.windows;
  }
};

}  // namespace summand
