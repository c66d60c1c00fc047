#pragma once

#include <cstddef>
#include <type_traits>

#include "base/zeroed_memory.hpp"

namespace summand::engine {

/// Numbers that begin on a cache line. Their bytes are zero at first and never shrink.
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t count) { grow(count); }

  /// Makes room for `count` numbers; what was held before is lost if there was less.
  void grow(size_t count) {
    if (count * sizeof(T) > memory_.size()) memory_ = ZeroedMemory(count * sizeof(T));
  }

  [[nodiscard]] T* data() { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(memory_.data()); }

 private:
  ZeroedMemory memory_;
};

using AlignedFloats = AlignedBuffer<float>;

}  // namespace summand::engine
