#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/range.hpp"
#include "model/enum_names.hpp"

namespace summand::model {

/// Element types, named as in safetensors.
enum class DType { f32, f16, bf16, i8, i64 };

[[nodiscard]] std::span<const EnumName<DType>> enum_names(DType);

/// Bytes of one element.
[[nodiscard]] size_t size_of(DType dtype);

/// Whether elements are floating-point numbers, as parameters must be.
[[nodiscard]] bool is_floating(DType dtype);

/// Owner of the bytes of tensors.
class TensorSource {
 public:
  TensorSource() = default;
  TensorSource(const TensorSource&) = delete;
  TensorSource& operator=(const TensorSource&) = delete;
  virtual ~TensorSource() = default;

  /// Says that some of its bytes are read now, all of them, or that they will not be read for a while: a mapped file
  /// may bring its pages in at once, or let go of them until they are read again.
  virtual void bring_in(std::span<const std::byte>) const noexcept {}
  virtual void give_back(std::span<const std::byte>) const noexcept {}
  /// Copies some of its bytes; a file brings no page into memory for that. `to` has as many.
  /// @throws IoError if they cannot be read
  virtual void copy(std::span<const std::byte> from, std::byte* to) const { std::ranges::copy(from, to); }
};

/// A constant tensor, row-major, little-endian, possibly unaligned. Copies share the elements.
///
/// A dense layer's weight in 8 bits is I8 [out, in] with one scale per row, and a factor per column where it was
/// calibrated: its numbers are the float products row_scales[r] * element[r][k], rounded to float, times
/// column_factors[k], rounded again, and nothing else ever stands for them, in double precision neither.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<size_t> shape;
  std::span<const std::byte> bytes;
  /// Keeps `bytes` alive: a mapped file that many tensors look into, hence shared.
  std::shared_ptr<const TensorSource> source;
  std::vector<float> row_scales = {};      ///< [out] of an I8 weight; empty for every other tensor
  std::vector<float> column_factors = {};  ///< [in] of a calibrated I8 weight; empty for every other tensor

  [[nodiscard]] size_t elements() const;
};

/// "F32 [30522, 384]"
[[nodiscard]] std::string describe(const Tensor& tensor);
/// "[30522, 384]"
[[nodiscard]] std::string describe(std::span<const size_t> shape);

/// A view of the elements as float, or nothing if they are not aligned F32.
[[nodiscard]] std::optional<std::span<const float>> floats_in_place(const Tensor& tensor);

/// The numbers of a tensor: F32, F16 and BF16 exactly, an I8 weight as above.
[[nodiscard]] std::vector<float> to_floats(const Tensor& tensor);
[[nodiscard]] std::vector<double> to_doubles(const Tensor& tensor);

/// Tells the tensor's source, if it has one.
void bring_in(const Tensor& tensor);
void give_back(const Tensor& tensor);

/// Copies elements [first, first + to.size()) of an F32 tensor.
/// @throws IoError if its source is a file that cannot be read
void copy_floats(const Tensor& tensor, size_t first, std::span<float> to);

/// A tensor of some rows that holds a copy of them, in the same type; a file brings no page into memory for that.
/// @param tensor  [rows, columns]
/// @throws IoError if its source is a file that cannot be read
[[nodiscard]] Tensor copied_rows(const Tensor& tensor, Range rows);

/// A tensor that owns its numbers.
/// @param shape  its product must be values.size()
template <class Number>
[[nodiscard]] Tensor tensor_of(DType dtype, std::vector<size_t> shape, std::vector<Number> values) {
  struct Numbers : TensorSource {
    std::vector<Number> values;
    explicit Numbers(std::vector<Number> own) : values(std::move(own)) {}
  };
  auto source = std::make_shared<const Numbers>(std::move(values));
  const auto bytes = std::as_bytes(std::span(source->values));
  return {dtype, std::move(shape), bytes, std::move(source)};
}

/// A tensor that owns a copy of the numbers, as F32.
/// @param shape  its product must be values.size()
[[nodiscard]] Tensor make_tensor(std::vector<size_t> shape, std::span<const float> values);

}  // namespace summand::model
