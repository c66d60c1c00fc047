#include "train/bounded_memory.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

namespace summand::train {

namespace {

constexpr const char* kKernelShapes = "32";
constexpr size_t kLarge = size_t{1} << 18;
constexpr size_t kPage = size_t{1} << 12;
constexpr size_t kHugePage = size_t{1} << 21;

size_t rounded_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// A map of its own. From a huge page on it begins and ends at one, where the system has them: a fault a page instead
/// of 512.
class Piece {
 public:
  static size_t size_for(size_t bytes) { return rounded_up(bytes, bytes < kHugePage ? kPage : kHugePage); }

  static void* take(size_t size) {
    const size_t spare = size < kHugePage ? 0 : kHugePage - kPage;
    void* map = mmap(nullptr, size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    if (spare == 0) return map;
    auto* begin = static_cast<char*>(map);
    auto* aligned = begin + (rounded_up(reinterpret_cast<size_t>(begin), kHugePage) - reinterpret_cast<size_t>(begin));
    if (aligned != begin) munmap(begin, static_cast<size_t>(aligned - begin));
    if (const size_t rest = spare - static_cast<size_t>(aligned - begin); rest > 0) munmap(aligned + size, rest);
    madvise(aligned, size, MADV_HUGEPAGE);
    return aligned;
  }

  static void give(void* begin, size_t size) { munmap(begin, size); }
};

class LargePieces {
 public:
  void* take(size_t bytes) {
    const size_t size = Piece::size_for(bytes);
    const std::lock_guard lock(mutex_);
    void* piece = waiting(size);
    if (piece == nullptr) {
      make_room_for(size);
      piece = Piece::take(size);
      sizes_[piece] = size;
    }
    use_.live += sizes_[piece];
    use_.most = std::max(use_.most, use_.live);
    return piece;
  }

  /// @return whether it was taken here.
  bool give(void* piece) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(piece);
    if (found == sizes_.end()) return false;
    use_.live -= found->second;
    use_.waiting += found->second;
    waiting_.emplace(found->second, piece);
    return true;
  }

  void give_back() {
    const std::lock_guard lock(mutex_);
    while (!waiting_.empty()) give_back_largest();
  }

  TensorMemory use() {
    const std::lock_guard lock(mutex_);
    return use_;
  }

 private:
  /// A waiting piece of that size, or an eighth larger at most; or nothing.
  void* waiting(size_t size) {
    const auto found = waiting_.lower_bound(size);
    if (found == waiting_.end() || found->first > size + size / 8) return nullptr;
    void* piece = found->second;
    use_.waiting -= found->first;
    waiting_.erase(found);
    return piece;
  }

  void make_room_for(size_t size) {
    while (!waiting_.empty() && use_.live + use_.waiting + size > use_.most) give_back_largest();
  }

  void give_back_largest() {
    const auto largest = std::prev(waiting_.end());
    use_.waiting -= largest->first;
    sizes_.erase(largest->second);
    Piece::give(largest->second, largest->first);
    waiting_.erase(largest);
  }

  std::mutex mutex_;
  std::unordered_map<void*, size_t> sizes_;  // of all pieces, living and waiting
  std::multimap<size_t, void*> waiting_;
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
  static auto* allocator = new LargePiecesApart;
  c10::SetCPUAllocator(allocator);
}

void give_back_waiting_memory() {
  large_pieces().give_back();
}

TensorMemory tensor_memory() {
  return large_pieces().use();
}

}  // namespace summand::train
