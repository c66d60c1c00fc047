#pragma once

#include "engine/kernels/dots.hpp"
#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/single_precision.hpp"

// The kernels for x86-64, each in a file that is compiled with the flags of what its namespace names.

namespace summand::engine {

namespace avx2 {
extern const SinglePrecisionKernels kKernels;
extern const HalfKernels kBf16Kernels;
extern const Int8Kernels kInt8Kernels;
extern const DotKernels kDotKernels;
void quantise(const QuantiseTask& task);
}  // namespace avx2
namespace avx_vnni {
extern const Int8Kernels kInt8Kernels;
}
namespace avx512 {
extern const SinglePrecisionKernels kKernels;
extern const HalfKernels kBf16Kernels;
extern const DotKernels kDotKernels;
}  // namespace avx512
namespace avx512_vnni {
extern const Int8Kernels kInt8Kernels;
void quantise(const QuantiseTask& task);
}  // namespace avx512_vnni
namespace avx512_bf16 {
extern const HalfKernels kBf16Kernels;
}
namespace avx512_fp16 {
extern const HalfKernels kFp16Kernels;
}
namespace amx {
extern const HalfKernels kBf16Kernels;
extern const Int8Kernels kInt8Kernels;
void begin_work();
void end_work();
}  // namespace amx

}  // namespace summand::engine
