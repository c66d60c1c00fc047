#pragma once

#include "engine/kernels/kernel_set.hpp"

namespace summand::engine::x86 {

// By what the processor says of itself (Intel's manual, volume 2A, CPUID) and, of registers that the operating system
// has to keep, by what that says (XGETBV). Named as /proc/cpuinfo names them.

extern const Feature kAvx2;  ///< with FMA
extern const Feature kAvxVnni;
extern const Feature kAvx512;  ///< F, BW, DQ and VL
extern const Feature kAvx512Vnni;
extern const Feature kAvx512Bf16;
extern const Feature kAvx512Fp16;
extern const Feature kAmxTile;  ///< with the system's permission for this process to use tiles, which asking obtains
extern const Feature kAmxBf16;
extern const Feature kAmxInt8;

}  // namespace summand::engine::x86
