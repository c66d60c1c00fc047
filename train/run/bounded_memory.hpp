#pragma once

#include <cstddef>

namespace summand::train {

/// Keeps the process about as large as its tensors, until it ends. Call it before the first tensor.
///
/// The C library's allocator fragments: a training step frees in another order than it allocates, and then needs a
/// third more than its tensors. Here tensors of a megabyte and more are mapped separately. Freed ones are reused for
/// the next tensor of their size, as long as live and free memory together do not exceed the peak of live memory.
/// oneDNN caches compiled kernels and workspace for 1,024 shapes, and packed batches have new shapes in every step: the
/// limit here is 128, unless ONEDNN_PRIMITIVE_CACHE_CAPACITY and LRU_CACHE_CAPACITY are set.
void bound_memory();

/// Releases free memory; call it before a large allocation outside tensors. Does nothing without bound_memory().
void release_cached_memory();

/// Bytes of large tensors: live, free for reuse, and the peak of live ones.
struct TensorMemory {
  size_t live = 0;
  size_t waiting = 0;
  size_t most = 0;
};

[[nodiscard]] TensorMemory tensor_memory();

}  // namespace summand::train
