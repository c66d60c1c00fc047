#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "base/zeroed_memory.hpp"

namespace summand::engine {

/// Numbers that begin on a cache line. Their bytes are zero at first.
template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t count) { fit(count); }
  /// A view of others' numbers. @param numbers  begin on a cache line
  AlignedBuffer(T* numbers, size_t count) : numbers_(numbers), bytes_(count * sizeof(T)) {}

  /// Makes room for `count` numbers. Room that was much more than anybody wanted for a while is given back. What was
  /// held before is lost whenever the room changes.
  void fit(size_t count) {
    const size_t bytes = count * sizeof(T);
    wanted_ = std::max(wanted_, bytes);
    ++fits_;
    const bool too_much = bytes_ >= kWorthGivingBack && bytes_ / kMuchMore > wanted_;
    if (bytes > bytes_ || (fits_ >= kAWhile && too_much)) {
      own_ = ZeroedMemory();  // before there is the other
      own_ = ZeroedMemory(wanted_);
      numbers_ = static_cast<T*>(own_.data());
      bytes_ = wanted_;
    }
    if (fits_ < kAWhile) return;
    fits_ = 0;
    wanted_ = bytes;
  }

  [[nodiscard]] T* data() { return numbers_; }
  [[nodiscard]] const T* data() const { return numbers_; }

 private:
  /// Making room anew costs some milliseconds for the largest buffers (a logit for every word of the vocabulary and
  /// every masked token), spread over at least this many runs; and whoever alternates between sizes keeps the larger
  /// one.
  static constexpr size_t kAWhile = 32;
  static constexpr size_t kMuchMore = 4;
  static constexpr size_t kWorthGivingBack = size_t{64} << 10U;  ///< bytes

  ZeroedMemory own_;
  T* numbers_ = nullptr;
  size_t bytes_ = 0;
  size_t wanted_ = 0;  ///< the most bytes since the last while began
  size_t fits_ = 0;    ///< calls since then
};

using AlignedFloats = AlignedBuffer<float>;

}  // namespace summand::engine
