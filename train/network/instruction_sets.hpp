#pragma once

/// Before a function with loops: compiled for AVX-512, for AVX2 and for every processor; the best that the processor
/// has runs. Elsewhere, and where a sanitizer would run before the choice is made, nothing.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SUMMAND_FOR_INSTRUCTION_SETS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SUMMAND_FOR_INSTRUCTION_SETS
#endif
