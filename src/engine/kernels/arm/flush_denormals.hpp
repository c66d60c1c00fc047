#pragma once

#include <cstdint>

namespace summand::engine::arm {

/// While it lives, denormal numbers count as zeros on this thread (FPCR.FZ), as x86's VDPBF16PS takes them and leaves
/// them. What is computed in the meantime has to stand in a function of its own that is not inlined.
class FlushDenormals {
 public:
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | kFlushToZero));
  }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
  ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }

 private:
  static constexpr uint64_t kFlushToZero = uint64_t{1} << 24U;
  uint64_t before_ = 0;
};

}  // namespace summand::engine::arm
