#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace summand {

/// A small pool of objects that calls reuse, to keep the memory they have grown. An empty pool returns null; a full one
/// drops the object.
///
/// Thread-safety: take(), put() and clear() may be called by several threads at once, and in the child of a fork. They
/// are lock-free.
template <class T>
class ObjectPool {
 public:
  ObjectPool() = default;
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;
  ~ObjectPool() { clear(); }

  /// @return null if the pool is empty
  [[nodiscard]] std::unique_ptr<T> take() {
    for (auto& slot : slots_) {
      // Load first: an exchange would take the cache line from other threads even if the slot is empty.
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* const taken = slot.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<T>(taken);
    }
    return nullptr;
  }

  void put(std::unique_ptr<T> object) {
    for (auto& slot : slots_) {
      T* none = nullptr;
      if (!slot.compare_exchange_strong(none, object.get(), std::memory_order_release, std::memory_order_relaxed)) {
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
  static constexpr size_t kSlots = 16;

  std::array<std::atomic<T*>, kSlots> slots_{};
};

}  // namespace summand
