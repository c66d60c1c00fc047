#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "base/zeroed_memory.hpp"

namespace summand {

/// Hands out memory that lives as long as it does, side by side, so that many small pieces share large pages. Zero at
/// first, beginning on cache lines.
///
/// Thread-safety: take() may be called from any thread at any time.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// @return `bytes` bytes. @throws std::bad_alloc if there are not so many
  [[nodiscard]] void* take(size_t bytes);

 private:
  std::mutex mutex_;
  std::vector<ZeroedMemory> chunks_;
  size_t used_ = 0;  // of the last chunk
};

}  // namespace summand
