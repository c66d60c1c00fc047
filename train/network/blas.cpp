#include "train/network/blas.hpp"

#include <ATen/ATen.h>

#include "train/network/autocast.hpp"

#ifdef SUMMAND_TORCH_BLAS
// The routines of BLAS that libtorch brings, in Fortran's convention: matrices in columns, 32-bit integers.
extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
}
#endif

namespace summand::train {

namespace {

#ifdef SUMMAND_TORCH_BLAS

/// Of matrices in columns: resultᵀ = rightᵀ · leftᵀ.
template <class Scalar, class Routine>
void compute_by(Routine routine, const Product<Scalar>& product) {
  const char left = product.left.transposed ? 'T' : 'N';
  const char right = product.right.transposed ? 'T' : 'N';
  const auto rows = static_cast<int>(product.rows), columns = static_cast<int>(product.columns),
             inner = static_cast<int>(product.inner), left_stride = static_cast<int>(product.left.stride),
             right_stride = static_cast<int>(product.right.stride), stride = static_cast<int>(product.stride);
  routine(&right, &left, &columns, &rows, &inner, &product.factor, product.right.data, &right_stride, product.left.data,
          &left_stride, &product.kept, product.result, &stride);
}

#else

template <class Scalar>
at::Tensor matrix(const Scalar* data, int64_t rows, int64_t columns, int64_t stride) {
  // from_blob() takes no constant memory; factors are not written to.
  return at::from_blob(const_cast<Scalar*>(data), {rows, columns}, {stride, 1},
                       c10::CppTypeToScalarType<Scalar>::value);
}

template <class Scalar>
void compute_by_tensors(const Product<Scalar>& product) {
  const at::NoGradGuard no_gradients;
  const Autocast exact(Precision::fp32, at::kCPU);
  const auto factor = [](const ProductFactor<Scalar>& one, int64_t rows, int64_t columns) {
    return one.transposed ? matrix(one.data, columns, rows, one.stride).t()
                          : matrix(one.data, rows, columns, one.stride);
  };
  at::Tensor result = matrix(product.result, product.rows, product.columns, product.stride);
  at::addmm_out(result, result, factor(product.left, product.rows, product.inner),
                factor(product.right, product.inner, product.columns), product.kept, product.factor);
}

#endif

}  // namespace

#ifdef SUMMAND_TORCH_BLAS
void compute(const Product<float>& product) {
  compute_by(sgemm_, product);
}
void compute(const Product<double>& product) {
  compute_by(dgemm_, product);
}
#else
void compute(const Product<float>& product) {
  compute_by_tensors(product);
}
void compute(const Product<double>& product) {
  compute_by_tensors(product);
}
#endif

}  // namespace summand::train
