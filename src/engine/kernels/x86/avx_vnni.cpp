#include "engine/kernels/simd/coarse_math.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/simd/quantise.hpp"
#include "engine/kernels/x86/int8_avx2.hpp"
#include "engine/kernels/x86/tables.hpp"

namespace summand::engine::avx_vnni {

namespace {

using avx2::Floats;

/// Four products of bytes at a time and a lane, exactly (VPDPBUSD of AVX-VNNI). By assembly: this file is compiled for
/// AVX2, as all that share its vectors are.
struct Int8Product : avx2::Int8Ending<Int8ProductTask> {
  static __m256i weights(const int8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static __m256i same(const uint8_t* from) {
    int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    return _mm256_set1_epi32(four);
  }
  static Total add(Total total, __m256i value, __m256i weight) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(total) : "x"(value), "xm"(weight));
    return total;
  }
};

}  // namespace

// 6 rows times one panel of 16: 12 of the 16 registers hold totals.
const Int8Kernels kInt8Kernels{{.per_step = 4, .depth_multiple = 4},
                               simd::product<Int8Product, Floats, 6, 1>,
                               avx2::quantise,
                               simd::coarsely_activate<Floats>};

}  // namespace summand::engine::avx_vnni
