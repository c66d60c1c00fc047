#include "train/run/bounded_memory.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/zeroed_memory.hpp"

namespace summand::train {

namespace {

constexpr const char* kKernelShapes = "128";
constexpr size_t kLarge = size_t{1} << 20;  // from here on ZeroedMemory is a map of its own
// oneDNN takes a few megabytes for each product and gives them back after it.
constexpr int kKeptByAllocator = 32 << 20;

/// Rounded up by a sixteenth at most, so that batches which differ by a few tokens take the same pieces. What a tensor
/// does not touch takes no memory.
size_t rounded_size(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 16;
  return (bytes + step - 1) / step * step;
}

class LargePieces {
 public:
  void* take(size_t asked) {
    const std::lock_guard lock(mutex_);
    const size_t bytes = rounded_size(asked);
    ZeroedMemory memory = waiting(bytes);
    if (memory.data() == nullptr) {
      make_room_for(bytes);
      memory = ZeroedMemory(bytes);
    }
    use_.live += memory.size();
    use_.most = std::max(use_.most, use_.live);
    void* const piece = memory.data();
    living_.emplace(piece, std::move(memory));
    return piece;
  }

  /// @return whether it was taken here.
  bool give(void* piece) {
    const std::lock_guard lock(mutex_);
    auto found = living_.extract(piece);
    if (found.empty()) return false;
    const size_t size = found.mapped().size();
    use_.live -= size;
    use_.waiting += size;
    waiting_.emplace(size, std::move(found.mapped()));
    return true;
  }

  void give_back() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    use_.waiting = 0;
  }

  TensorMemory use() {
    const std::lock_guard lock(mutex_);
    return use_;
  }

 private:
  /// What waits and has that size, or is an eighth larger at most; or nothing.
  ZeroedMemory waiting(size_t bytes) {
    const auto found = waiting_.lower_bound(bytes);
    if (found == waiting_.end() || found->first > bytes + bytes / 8) return {};
    use_.waiting -= found->first;
    return std::move(waiting_.extract(found).mapped());
  }

  void make_room_for(size_t bytes) {
    while (!waiting_.empty() && use_.live + use_.waiting + bytes > use_.most) {
      const auto largest = std::prev(waiting_.end());
      use_.waiting -= largest->first;
      waiting_.erase(largest);
    }
  }

  std::mutex mutex_;
  std::unordered_map<void*, ZeroedMemory> living_;
  std::multimap<size_t, ZeroedMemory> waiting_;
  TensorMemory use_;
};

LargePieces& large_pieces() {
  static auto* pieces = new LargePieces;  // tensors may outlive what ends with the process
  return *pieces;
}

void give(void* piece) {
  if (!large_pieces().give(piece)) c10::free_cpu(piece);
}

class LargePiecesApart final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* piece = bytes < kLarge ? c10::alloc_cpu(bytes) : large_pieces().take(bytes);
    return {piece, piece, &give, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &give; }

  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};

}  // namespace

void bound_memory() {
  for (const auto* capacity : {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"}) {
    setenv(capacity, kKernelShapes, /*replace=*/0);
  }
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, kKeptByAllocator);
  mallopt(M_TRIM_THRESHOLD, kKeptByAllocator);
#endif
  static auto* allocator = new LargePiecesApart;
  c10::SetCPUAllocator(allocator);
}

void release_cached_memory() {
  large_pieces().give_back();
}

TensorMemory tensor_memory() {
  return large_pieces().use();
}

}  // namespace summand::train
