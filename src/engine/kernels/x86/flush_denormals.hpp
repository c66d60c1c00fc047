#pragma once

#include <immintrin.h>

namespace summand::engine::x86 {

/// While it lives, denormal numbers count as zeros on this thread, as VDPBF16PS takes them and leaves them. What is
/// computed in the meantime has to stand in a function of its own that is not inlined: the compiler does not know that
/// arithmetic depends on this.
class FlushDenormals {
 public:
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kZeroesIn | kZeroesOut); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
  ~FlushDenormals() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned kZeroesIn = 0x0040;
  static constexpr unsigned kZeroesOut = 0x8000;
  unsigned before_;
};

}  // namespace summand::engine::x86
