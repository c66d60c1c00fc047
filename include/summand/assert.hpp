#pragma once

/// Checks an internal invariant. Never for user input: that throws a summand::Error.
/// Compiled out unless the build sets SUMMAND_ASSERTIONS.
#ifdef SUMMAND_ASSERTIONS
#include <cassert>
#undef NDEBUG
#include <cassert>
#define SUMMAND_ASSERT(condition) assert(condition)
#else
#define SUMMAND_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#endif
