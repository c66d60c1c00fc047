#pragma once

#include <cstddef>
#include <type_traits>

#include "base/arena.hpp"
#include "base/zeroed_memory.hpp"

namespace summand::engine {

/// Numbers that begin on a cache line. Their bytes are zero at first and never shrink.
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t count) { grow(count); }
  /// In memory that lives as long as the arena.
  AlignedBuffer(Arena& arena, size_t count)
      : numbers_(static_cast<T*>(arena.take(count * sizeof(T)))), bytes_(count * sizeof(T)) {}

  /// Makes room for `count` numbers; what was held before is lost if there was less.
  void grow(size_t count) {
    if (count * sizeof(T) <= bytes_) return;
    own_ = ZeroedMemory(count * sizeof(T));
    numbers_ = static_cast<T*>(own_.data());
    bytes_ = own_.size();
  }

  [[nodiscard]] T* data() { return numbers_; }
  [[nodiscard]] const T* data() const { return numbers_; }

 private:
  ZeroedMemory own_;
  T* numbers_ = nullptr;
  size_t bytes_ = 0;
};

using AlignedFloats = AlignedBuffer<float>;

}  // namespace summand::engine
