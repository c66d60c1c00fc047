#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"

namespace summand::engine {

/// The layout of packed weights and their names. Raise it whenever packing changes; a test holds
/// the bytes against what they were.
inline constexpr int kPackedFormat = 1;

/// Alignment of a piece of packed weights, in bytes.
inline constexpr size_t kPieceAlignment = 64;

/// The packed weights of a network, by name. They depend on the model, on the precision and on the set of kernels.
struct PackedPieces {
  std::map<std::string, std::span<const std::byte>, std::less<>> by_name;
  std::shared_ptr<const void> owner = {};  ///< keeps the bytes; null where a network does
};

/// Pieces are not those of this model, precision and set of kernels.
class PackedWeightsMismatch : public CheckpointError {
 public:
  using CheckpointError::CheckpointError;
};

}  // namespace summand::engine
