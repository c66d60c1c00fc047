#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "model/enum_names.hpp"

namespace summand::model {

/// Element types, named as in safetensors.
enum class DType { f32, f16, bf16, i8, i64 };

[[nodiscard]] std::span<const EnumName<DType>> enum_names(DType);

/// Bytes of one element.
[[nodiscard]] size_t size_of(DType dtype);

/// Whether elements are floating-point numbers, as parameters must be.
[[nodiscard]] bool is_floating(DType dtype);

/// A constant tensor, row-major, little-endian, possibly unaligned. Copies share the elements.
///
/// A dense layer's weight in 8 bits is I8 [out, in] with one scale per row: its numbers are the float products
/// row_scales[r] * element[r][k], rounded to float, and nothing else ever stands for them, in double precision neither.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<size_t> shape;
  std::span<const std::byte> bytes;
  /// Keeps `bytes` alive: a mapped file that many tensors look into, hence shared.
  std::shared_ptr<const void> owner;
  std::vector<float> row_scales = {};  ///< [out] of an I8 weight; empty for every other tensor

  [[nodiscard]] size_t elements() const;
};

/// "F32 [30522, 384]"
[[nodiscard]] std::string describe(const Tensor& tensor);
/// "[30522, 384]"
[[nodiscard]] std::string describe(std::span<const size_t> shape);

/// The elements as float where they lie, or nothing if they are not aligned F32.
[[nodiscard]] std::optional<std::span<const float>> floats_in_place(const Tensor& tensor);

/// The numbers of a tensor; F32, F16 and BF16 exactly, those of an I8 weight times their rows' scales.
[[nodiscard]] std::vector<float> to_floats(const Tensor& tensor);
[[nodiscard]] std::vector<double> to_doubles(const Tensor& tensor);

/// A tensor that owns a copy of the numbers, as F32.
/// @param shape  its product must be values.size()
[[nodiscard]] Tensor make_tensor(std::vector<size_t> shape, std::span<const float> values);

}  // namespace summand::model
