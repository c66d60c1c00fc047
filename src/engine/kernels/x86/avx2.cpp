#include "engine/kernels/simd/pack_keys.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/row_kernels.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/kernels/x86/floats_avx2.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx2 {

// 6 rows times one panel of 16: 12 of the 16 registers hold sums.
const SinglePrecisionKernels kKernels{simd::product<simd::FloatProduct<Floats>, Floats, 6, 1>,
                                      simd::normalise<Floats>,
                                      simd::embed<Floats>,
                                      simd::softmax<Floats>,
                                      simd::activate<Floats>,
                                      simd::pack_keys<Floats>};

}  // namespace summand::engine::avx2
