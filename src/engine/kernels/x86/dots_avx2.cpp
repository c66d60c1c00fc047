#include "engine/kernels/dots.hpp"
#include "engine/kernels/simd/dot_kernel.hpp"
#include "engine/kernels/x86/doubles_avx2.hpp"
#include "engine/kernels/x86/floats_avx2.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx2 {

// 2 queries times 16 rows: 8 of the 16 registers hold sums.
const DotKernels kDotKernels = simd::dot_kernels<Floats, Doubles, 2>();

}  // namespace summand::engine::avx2
