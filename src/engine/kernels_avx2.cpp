#include "engine/kernels.hpp"
#include "engine/simd/floats_avx2.hpp"
#include "engine/simd/pack_keys.hpp"
#include "engine/simd/product_kernel.hpp"
#include "engine/simd/row_kernels.hpp"

namespace summand::engine::avx2 {

// 6 rows times one panel of 16: 12 of the 16 registers hold sums.
const KernelTable kKernels{simd::product<simd::FloatProduct<Floats>, Floats, 6, 1>,
                           simd::normalise<Floats>,
                           simd::embed<Floats>,
                           simd::softmax<Floats>,
                           simd::activate<Floats>,
                           simd::pack_keys<Floats>};

}  // namespace summand::engine::avx2
