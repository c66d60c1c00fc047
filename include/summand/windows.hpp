#pragma once

#include <cstddef>

namespace summand {

/// How to combine the results of a text's windows: but for the transformer, coordinate by coordinate.
enum class WindowPooling {
  mean,     ///< mean over windows, all with the same weight
  maximum,  ///< maximum over windows
  /// A transformer over the vectors of the windows, which `summand finetune --windows transformer` trains: for labels
  /// of texts alone, by a model that has one, which allows no other way. Source: Pappagari et al. 2019 (ToBERT)
  transformer,
};

/// Divides long texts into windows instead of cutting them. A window holds whole words, unless a word is longer than a
/// window. For a pair, every window holds the whole first text and a part of the second.
struct WindowOptions {
  WindowPooling pooling = WindowPooling::mean;  ///< how to combine a text's windows
  size_t overlap = 0;  ///< tokens that neighbouring windows share: at most this many, whole words

  /// Whether two divide texts alike.
  [[nodiscard]] bool operator==(const WindowOptions&) const = default;
};

/// Counts of texts and windows.
struct WindowCount {
  size_t texts_divided = 0;  ///< texts with more than one window
  size_t windows = 0;        ///< of all texts

  /// Adds one text.
  void add(size_t windows_of_text) {
    texts_divided += windows_of_text > 1 ? 1 : 0;
    windows += windows_of_text;
  }
  /// Adds another count.
  void add(const WindowCount& other) {
    texts_divided += other.texts_divided;
    windows += other.windows;
  }
};

}  // namespace summand
