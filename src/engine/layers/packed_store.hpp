#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "base/arena.hpp"
#include "engine/layers/aligned_buffer.hpp"
#include "engine/packed_pieces.hpp"

namespace summand::engine {

/// Storage of a network's packed weights: memory of this object, or pieces of an earlier network of the same kind.
///
/// Thread-safety: take() may be called from any thread at any time.
class PackedStore {
 public:
  /// Empty: the user of a piece fills it.
  PackedStore() = default;
  /// @param filled  what pieces() of such a network gave
  explicit PackedStore(PackedPieces filled) : pieces_(std::move(filled)), is_filled_(true) {}

  /// Whether the pieces hold their numbers already, and must not be written to.
  [[nodiscard]] bool is_filled() const { return is_filled_; }

  /// @param layer, part  name the piece together; each is taken once
  /// @throws PackedWeightsMismatch if the store is filled and has no such piece of that size
  template <class T>
  [[nodiscard]] AlignedBuffer<T> take(std::string_view layer, std::string_view part, size_t count) {
    return AlignedBuffer<T>(static_cast<T*>(bytes(layer, part, count * sizeof(T))), count);
  }

  /// All that were taken. Valid as long as the store, and constant once all are.
  [[nodiscard]] const PackedPieces& pieces() const { return pieces_; }

 private:
  [[nodiscard]] void* bytes(std::string_view layer, std::string_view part, size_t count);

  std::mutex mutex_;
  Arena arena_;
  PackedPieces pieces_;
  bool is_filled_ = false;
};

}  // namespace summand::engine
