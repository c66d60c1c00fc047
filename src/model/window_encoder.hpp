#pragma once

#include <cstdint>

namespace summand::model {

inline constexpr int64_t kMostWindowLayers = 64;
inline constexpr int64_t kMostWindows = 4096;  ///< of a text

/// The size of a small transformer over the vectors of a text's windows: see model/window_bert.hpp.
struct WindowEncoder {
  int64_t layers = 0;
  int64_t most_windows = 0;  ///< of a text; what is behind them is cut
  bool operator==(const WindowEncoder&) const = default;
};

}  // namespace summand::model
