#include "engine/kernels/simd/pack_keys.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/row_kernels.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/kernels/x86/floats_avx512.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx512 {

struct Isa;
using Floats = simd::Floats16<Isa>;

// 8 rows times 3 panels of 16: 24 of the 32 registers hold sums.
const SinglePrecisionKernels kKernels{simd::product<simd::FloatProduct<Floats>, Floats, 8, 3>,
                                      simd::normalise<Floats>,
                                      simd::embed<Floats>,
                                      simd::softmax<Floats>,
                                      simd::activate<Floats>,
                                      simd::pack_keys<Floats>};

}  // namespace summand::engine::avx512
