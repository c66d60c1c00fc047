#pragma once

#include <cstdint>
#include <string_view>

namespace summand {

/// A running 64-bit FNV-1a hash: tells files and options apart, no protection against anybody's intent.
/// Source: draft-eastlake-fnv, section 4
class Hash {
 public:
  /// Adds a field: its length first, so that two fields never read as two others.
  void add(std::string_view field) {
    add_number(field.size());
    for (const char c : field) step(static_cast<unsigned char>(c));
  }
  void add_number(uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) step(static_cast<unsigned char>(number >> (8 * byte)));
  }
  [[nodiscard]] uint64_t value() const { return state_; }

 private:
  void step(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001B3ULL; }

  uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace summand
