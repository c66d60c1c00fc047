#pragma once

#include <cstddef>
#include <vector>

namespace summand::engine {

/// Floats that begin on a cache line. They are zero at first and never shrink.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(size_t count) { grow(count); }

  /// Makes room for `count` floats; what was held before is lost if there was less.
  void grow(size_t count) {
    const size_t lines = (count + kPerLine - 1) / kPerLine;
    if (lines > lines_.size()) lines_ = std::vector<Line>(lines);
  }

  [[nodiscard]] float* data() { return lines_.empty() ? nullptr : lines_.front().values; }
  [[nodiscard]] const float* data() const { return lines_.empty() ? nullptr : lines_.front().values; }

 private:
  static constexpr size_t kPerLine = 16;
  struct alignas(64) Line {
    float values[kPerLine] = {};
  };

  std::vector<Line> lines_;
};

}  // namespace summand::engine
