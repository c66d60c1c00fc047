#pragma once

#include <cstddef>

namespace summand::train {

/// Keeps the process about as large as its tensors, from here to its end; call it before the first tensor.
///
/// The C library's allocator keeps large pieces that were freed where they lay, and a step of training, which frees in
/// another order than it took, then has a third more than its tensors need. Here tensors of a megabyte and more
/// are maps of their own; freed ones wait for the next tensor of their size, but no longer than what lives and
/// what waits is together as much as ever lived at once. And oneDNN keeps what it compiled, with room to work in, for
/// 1,024 shapes, of which packed batches have others in every step: here for 128, unless
/// ONEDNN_PRIMITIVE_CACHE_CAPACITY and LRU_CACHE_CAPACITY say something else.
void bound_memory();

/// Before something else than tensors takes much. Without `bound_memory` nothing waits.
void give_back_waiting_memory();

/// Bytes in large tensors: those that live, those that wait, and the most that ever lived at once.
struct TensorMemory {
  size_t live = 0;
  size_t waiting = 0;
  size_t most = 0;
};

[[nodiscard]] TensorMemory tensor_memory();

}  // namespace summand::train
