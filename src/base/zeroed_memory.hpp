#pragma once

#include <cstddef>
#include <memory>

namespace summand {

/// Memory that is zero at first and begins on a cache line. Much of it comes straight from the system, which hands out
/// zeros, in large pages where it can.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// @throws std::bad_alloc if there is not so much
  explicit ZeroedMemory(size_t bytes);

  [[nodiscard]] void* data() const { return bytes_.get(); }
  [[nodiscard]] size_t size() const { return bytes_.get_deleter().size; }

 private:
  struct Release {
    size_t size;
    Release() : size(0) {}
    explicit Release(size_t bytes) : size(bytes) {}
    void operator()(void* bytes) const noexcept;
  };

  std::unique_ptr<void, Release> bytes_;
};

}  // namespace summand
