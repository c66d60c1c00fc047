#include "engine/kernels/dots.hpp"
#include "engine/kernels/simd/dot_kernel.hpp"
#include "engine/kernels/x86/doubles_avx512.hpp"
#include "engine/kernels/x86/floats_avx512.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx512 {

struct DotIsa;
using Floats = simd::Floats16<DotIsa>;
using Doubles = simd::Doubles8<DotIsa>;

// 8 queries times 16 rows: 16 of the 32 registers hold sums.
const DotKernels kDotKernels = simd::dot_kernels<Floats, Doubles, 8>();

}  // namespace summand::engine::avx512
