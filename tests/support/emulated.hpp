#pragma once

namespace summand::test {

/// Whether the program runs in an emulator: products take fifty times as long there as on a processor of that kind, and
/// what a process asks of its memory (madvise) is not passed on.
#ifdef SUMMAND_EMULATED
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

}  // namespace summand::test
