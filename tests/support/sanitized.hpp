#pragma once

namespace summand::test {

/// Whether the address or the thread sanitizer watches this build: work costs ten times as much, and memory that was
/// freed is kept for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace summand::test
