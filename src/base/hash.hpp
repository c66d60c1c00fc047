#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace summand {

/// A running 64-bit XXH3 hash, for telling files and options apart; not cryptographic. The same on every machine.
class Hash {
 public:
  Hash();
  ~Hash();
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;

  /// Adds a field with its length, so that {"a", "bc"} and {"ab", "c"} differ.
  void add(std::string_view field);
  void add_number(uint64_t number);
  /// Adds bytes without a length: the hash does not depend on how they are split.
  void add_bytes(std::span<const std::byte> bytes);
  [[nodiscard]] uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace summand
