#pragma once

#include <cstddef>
#include <vector>

namespace summand::engine {

/// Numbers that begin on a cache line. They are zero at first and never shrink.
template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t count) { grow(count); }

  /// Makes room for `count` numbers; what was held before is lost if there was less.
  void grow(size_t count) {
    const size_t lines = (count + kPerLine - 1) / kPerLine;
    if (lines > lines_.size()) lines_ = std::vector<Line>(lines);
  }

  [[nodiscard]] T* data() { return lines_.empty() ? nullptr : lines_.front().values; }
  [[nodiscard]] const T* data() const { return lines_.empty() ? nullptr : lines_.front().values; }

 private:
  static constexpr size_t kLineBytes = 64;
  static constexpr size_t kPerLine = kLineBytes / sizeof(T);
  struct alignas(kLineBytes) Line {
    T values[kPerLine] = {};
  };

  std::vector<Line> lines_;
};

using AlignedFloats = AlignedBuffer<float>;

}  // namespace summand::engine
