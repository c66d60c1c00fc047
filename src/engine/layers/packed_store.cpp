#include "engine/layers/packed_store.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>

namespace summand::engine {

void* PackedStore::bytes(std::string_view layer, std::string_view part, size_t count) {
  std::string name = fmt::format("{}.{}", layer, part);
  if (!is_filled_) {
    auto* const taken = static_cast<std::byte*>(arena_.take(count));
    const std::lock_guard lock(mutex_);
    pieces_.by_name.insert_or_assign(std::move(name), std::span<const std::byte>(taken, count));
    return taken;
  }
  const auto found = pieces_.by_name.find(name);
  if (found == pieces_.by_name.end()) {
    throw PackedWeightsMismatch("packed weights", fmt::format("expected {} of {} bytes, got none", name, count));
  }
  if (found->second.size() != count) {
    throw PackedWeightsMismatch("packed weights",
                                fmt::format("expected {} of {} bytes, got {}", name, count, found->second.size()));
  }
  return const_cast<std::byte*>(found->second.data());  // callers that check is_filled() do not write
}

}  // namespace summand::engine
