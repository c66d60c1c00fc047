#pragma once

#include <cstdint>

namespace summand::train {

/// A matrix in rows, as a product takes it.
template <class Scalar>
struct ProductFactor {
  const Scalar* data = nullptr;
  int64_t stride = 0;       ///< from row to row
  bool transposed = false;  ///< whether it is read by columns
};

/// result = factor · left · right + kept · result.
template <class Scalar>
struct Product {
  int64_t rows = 0, columns = 0;  ///< of the result
  int64_t inner = 0;              ///< that sums run over
  Scalar factor = 1;
  ProductFactor<Scalar> left, right;  ///< [rows, inner] · [inner, columns], or the transposed of these
  Scalar kept = 0;                    ///< 0: the result's old numbers are not read
  Scalar* result = nullptr;
  int64_t stride = 0;  ///< of the result, from row to row
};

/// On this thread, if called within at::parallel_for: for products that are small, and many.
void compute(const Product<float>& product);
void compute(const Product<double>& product);

}  // namespace summand::train
