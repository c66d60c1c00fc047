#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace summand {

/// A running hash, XXH3 of 64 bits: tells files and options apart, no protection against anybody's intent. It is the
/// same on every machine.
class Hash {
 public:
  Hash();
  ~Hash();
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;

  /// Adds a field: its length first, so that two fields never read as two others.
  void add(std::string_view field);
  void add_number(uint64_t number);
  /// Adds bytes alone: the same hash, whatever pieces they come in.
  void add_bytes(std::span<const std::byte> bytes);
  [[nodiscard]] uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace summand
