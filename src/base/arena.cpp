#include "base/arena.hpp"

#include <algorithm>

namespace summand {

namespace {

constexpr size_t kCacheLine = 64;
/// Untouched parts of a chunk cost only addresses. Under the address sanitizer every piece has a chunk of its own,
/// so that nothing passes its end unseen.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kChunk = 0;
#else
constexpr size_t kChunk = size_t{64} << 20U;
#endif

}  // namespace

void* Arena::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const size_t size = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  if (chunks_.empty() || chunks_.back().size() - used_ < size) {
    chunks_.emplace_back(std::max(size, kChunk));
    used_ = 0;
  }
  void* const taken = static_cast<std::byte*>(chunks_.back().data()) + used_;
  used_ += size;
  return taken;
}

}  // namespace summand
