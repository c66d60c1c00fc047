#include "engine/kernels.hpp"
#include "engine/simd/floats_avx512.hpp"
#include "engine/simd/pack_keys.hpp"
#include "engine/simd/product_kernel.hpp"
#include "engine/simd/row_kernels.hpp"

namespace summand::engine::avx512 {

struct Isa;
using Floats = simd::Floats16<Isa>;

// 8 rows times 3 panels of 16: 24 of the 32 registers hold sums.
const KernelTable kKernels{simd::product<simd::FloatProduct<Floats>, Floats, 8, 3>,
                           simd::normalise<Floats>,
                           simd::embed<Floats>,
                           simd::softmax<Floats>,
                           simd::activate<Floats>,
                           simd::pack_keys<Floats>};

}  // namespace summand::engine::avx512
