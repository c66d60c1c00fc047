#include "base/hash.hpp"

// Into this object, so that who links the library needs none of xxHash's.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

namespace summand {

struct Hash::State {
  XXH3_state_t running;
};

Hash::Hash() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->running);
}

Hash::~Hash() = default;

void Hash::add(std::string_view field) {
  add_number(field.size());
  XXH3_64bits_update(&state_->running, field.data(), field.size());
}

void Hash::add_number(uint64_t number) {
  std::array<unsigned char, sizeof(number)> bytes{};  // the lowest first, on every machine
  for (size_t byte = 0; byte < bytes.size(); ++byte) bytes[byte] = static_cast<unsigned char>(number >> (8 * byte));
  XXH3_64bits_update(&state_->running, bytes.data(), bytes.size());
}

void Hash::add_bytes(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->running, bytes.data(), bytes.size());
}

uint64_t Hash::value() const {
  return XXH3_64bits_digest(&state_->running);
}

}  // namespace summand
