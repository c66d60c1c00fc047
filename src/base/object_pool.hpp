#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace summand {

/// Objects that a call leaves for those after it, so that what they have grown to need not grow again. It holds a few:
/// whoever finds none makes one, and one for which there is no place goes.
///
/// Thread-safety: take(), put() and clear() may be called by several threads at once, and by the child of a fork,
/// whatever the parent's threads were doing: nothing waits here.
template <class T>
class ObjectPool {
 public:
  ObjectPool() = default;
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;
  ~ObjectPool() { clear(); }

  /// @return null where the pool is empty
  [[nodiscard]] std::unique_ptr<T> take() {
    for (auto& place : places_) {
      // Looked at first: an exchange takes the cache line from the other threads even where there is nothing.
      if (place.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* const taken = place.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<T>(taken);
    }
    return nullptr;
  }

  void put(std::unique_ptr<T> object) {
    for (auto& place : places_) {
      T* none = nullptr;
      if (!place.compare_exchange_strong(none, object.get(), std::memory_order_release, std::memory_order_relaxed)) {
        continue;
      }
      static_cast<void>(object.release());
      return;
    }
  }

  void clear() {
    while (take()) continue;
  }

 private:
  static constexpr size_t kPlaces = 16;

  std::array<std::atomic<T*>, kPlaces> places_{};
};

}  // namespace summand
