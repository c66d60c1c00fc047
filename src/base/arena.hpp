#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "base/zeroed_memory.hpp"

namespace summand {

/// A bump allocator: its blocks live as long as it does and share large pages. Blocks are zeroed and start on cache
/// lines.
///
/// Thread-safety: take() may be called from any thread at any time.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// @throws std::bad_alloc if memory runs out
  [[nodiscard]] void* take(size_t bytes);

 private:
  std::mutex mutex_;
  std::vector<ZeroedMemory> chunks_;
  size_t used_ = 0;  // of the last chunk
};

}  // namespace summand
