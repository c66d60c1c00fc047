#pragma once

#include <ATen/ATen.h>

namespace summand::train {

/// Whether a product replaces what its result held or is added to it.
enum class Sum { replaces, adds };

/// rows · matrix. The number of rows may differ from call to call: no kernel is compiled anew for it.
/// @param rows  [rows, inner], contiguous
/// @param matrix  [inner, columns], contiguous or the transpose of one that is; of the rows' type
/// @param to  [rows, columns], contiguous; of the rows' type
void multiply(const at::Tensor& rows, const at::Tensor& matrix, const at::Tensor& to, Sum sum);

/// leftᵀ · right, a sum over rows, such as the gradient of a weight. Their number may differ likewise.
/// @param left, right  [rows, n] and [rows, m], contiguous, of one type
/// @param to  [n, m], contiguous; of their type
void multiply_transposed(const at::Tensor& left, const at::Tensor& right, const at::Tensor& to, Sum sum);

/// Whether our own backward passes serve a parameter: in single precision, on a processor. Others have libtorch's.
[[nodiscard]] bool has_own_passes(const at::Tensor& parameter);

/// bf16 under Autocast, else single precision.
[[nodiscard]] at::ScalarType product_type();

/// The factors of input · weightᵀ, in the type of the product, for its forward and its backward pass.
struct Factors {
  at::Tensor input;   ///< [rows, inner]
  at::Tensor weight;  ///< [columns, inner]

  /// Converts to product_type() what has another type.
  [[nodiscard]] static Factors of(const at::Tensor& input, const at::Tensor& weight);

  [[nodiscard]] at::Tensor product() const;  ///< [rows, columns]
  /// @param gradient  of the product, in its type. @return [rows, inner]
  [[nodiscard]] at::Tensor input_gradient(const at::Tensor& gradient) const;
  /// @return [columns, inner]
  [[nodiscard]] at::Tensor weight_gradient(const at::Tensor& gradient) const;
};

/// input · weightᵀ + bias, in product_type(), where has_own_passes(weight).
/// @param input  [rows, inner]
/// @param weight  [columns, inner]
/// @param bias  [columns]
/// @return [rows, columns]
[[nodiscard]] at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace summand::train
