#pragma once

#include "engine/kernels/kernel_set.hpp"

namespace summand::engine::arm {

// By what the operating system says of the processor: features_linux.cpp, features_macos.cpp. Named as /proc/cpuinfo
// names them.

extern const Feature kFp16;  ///< FEAT_FP16, of vectors
extern const Feature kDot;   ///< FEAT_DotProd
extern const Feature kBf16;  ///< FEAT_BF16
extern const Feature kI8mm;  ///< FEAT_I8MM

}  // namespace summand::engine::arm
