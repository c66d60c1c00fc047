#pragma once

#include "engine/kernels/dots.hpp"
#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/single_precision.hpp"

// The kernels for aarch64, each in a file that is compiled with the flags of what its namespace names.

namespace summand::engine {

namespace neon {
extern const SinglePrecisionKernels kKernels;
extern const HalfKernels kBf16Kernels;
extern const DotKernels kDotKernels;
}  // namespace neon
namespace neon_dot {
extern const Int8Kernels kInt8Kernels;
}
namespace neon_fp16 {
extern const HalfKernels kFp16Kernels;
}
namespace neon_matrix {
extern const HalfKernels kBf16Kernels;
extern const Int8Kernels kInt8Kernels;
}  // namespace neon_matrix

}  // namespace summand::engine
