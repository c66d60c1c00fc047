#include "model/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/assert.hpp"
#include "base/half.hpp"

namespace summand::model {

namespace {

float from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

template <class Stored>
Stored read(std::span<const std::byte> bytes, size_t index) {
  Stored value;
  std::memcpy(&value, bytes.data() + index * sizeof(Stored), sizeof(Stored));
  return value;
}

/// The float products of an I8 weight, its rows' scales and its columns' factors.
template <class Number>
std::vector<Number> scaled(const Tensor& tensor) {
  SUMMAND_ASSERT(tensor.dtype == DType::i8 && tensor.shape.size() == 2 && tensor.row_scales.size() == tensor.shape[0]);
  SUMMAND_ASSERT(tensor.column_factors.empty() || tensor.column_factors.size() == tensor.shape[1]);
  const size_t columns = tensor.shape[1];
  std::vector<Number> values(tensor.elements());
  for (size_t row = 0; row < tensor.row_scales.size(); ++row) {
    const float scale = tensor.row_scales[row];
    for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
      const float product = scale * static_cast<float>(read<int8_t>(tensor.bytes, i));
      values[i] = product;
    }
    for (size_t k = 0; k < tensor.column_factors.size(); ++k) {
      const float product = static_cast<float>(values[row * columns + k]) * tensor.column_factors[k];
      values[row * columns + k] = product;
    }
  }
  return values;
}

template <class Number>
std::vector<Number> converted(const Tensor& tensor) {
  if (!tensor.row_scales.empty()) return scaled<Number>(tensor);
  std::vector<Number> values(tensor.elements());
  const auto fill = [&](auto element) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Number>(element(i));
  };
  switch (tensor.dtype) {
    case DType::f32:
      fill([&](size_t i) { return read<float>(tensor.bytes, i); });
      break;
    case DType::f16:
      fill([&](size_t i) { return half_to_float(read<uint16_t>(tensor.bytes, i)); });
      break;
    case DType::bf16:
      fill([&](size_t i) { return from_bf16(read<uint16_t>(tensor.bytes, i)); });
      break;
    case DType::i8:
      fill([&](size_t i) { return read<int8_t>(tensor.bytes, i); });
      break;
    case DType::i64:
      fill([&](size_t i) { return read<int64_t>(tensor.bytes, i); });
      break;
  }
  return values;
}

}  // namespace

std::span<const EnumName<DType>> enum_names(DType) {
  static constexpr std::array names{
      EnumName{DType::f32, "F32"}, EnumName{DType::f16, "F16"}, EnumName{DType::bf16, "BF16"},
      EnumName{DType::i8, "I8"},   EnumName{DType::i64, "I64"},
  };
  return names;
}

size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 4;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::i8:
      return 1;
    case DType::i64:
      return 8;
  }
  __builtin_unreachable();
}

bool is_floating(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

size_t Tensor::elements() const {
  return std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<>());
}

std::string describe(std::span<const size_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string describe(const Tensor& tensor) {
  return fmt::format("{} {}", name_of(tensor.dtype), describe(std::span<const size_t>(tensor.shape)));
}

std::optional<std::span<const float>> floats_in_place(const Tensor& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
  if (tensor.dtype != DType::f32 || address % alignof(float) != 0) return std::nullopt;
  return std::span(reinterpret_cast<const float*>(tensor.bytes.data()), tensor.elements());
}

std::vector<float> to_floats(const Tensor& tensor) {
  return converted<float>(tensor);
}

std::vector<double> to_doubles(const Tensor& tensor) {
  return converted<double>(tensor);
}

void bring_in(const Tensor& tensor) {
  if (tensor.source) tensor.source->bring_in(tensor.bytes);
}

void give_back(const Tensor& tensor) {
  if (tensor.source) tensor.source->give_back(tensor.bytes);
}

void copy_floats(const Tensor& tensor, size_t first, std::span<float> to) {
  SUMMAND_ASSERT(tensor.dtype == DType::f32 && tensor.source && first + to.size() <= tensor.elements());
  tensor.source->copy(tensor.bytes.subspan(first * sizeof(float), to.size_bytes()), std::as_writable_bytes(to).data());
}

Tensor copied_rows(const Tensor& tensor, Range rows) {
  SUMMAND_ASSERT(tensor.shape.size() == 2 && rows.begin <= rows.end && rows.end <= tensor.shape[0]);
  const size_t row_bytes = tensor.shape[1] * size_of(tensor.dtype);
  const auto from = tensor.bytes.subspan(rows.begin * row_bytes, rows.size() * row_bytes);
  std::vector<std::byte> bytes(from.size());
  if (tensor.source) {
    tensor.source->copy(from, bytes.data());
  } else {
    std::ranges::copy(from, bytes.begin());
  }
  Tensor copy = tensor_of(tensor.dtype, {rows.size(), tensor.shape[1]}, std::move(bytes));
  if (!tensor.row_scales.empty()) {
    const auto scales = std::span(tensor.row_scales).subspan(rows.begin, rows.size());
    copy.row_scales.assign(scales.begin(), scales.end());
  }
  copy.column_factors = tensor.column_factors;
  return copy;
}

Tensor make_tensor(std::vector<size_t> shape, std::span<const float> values) {
  Tensor tensor = tensor_of(DType::f32, std::move(shape), std::vector<float>(values.begin(), values.end()));
  SUMMAND_ASSERT(tensor.elements() == values.size());
  return tensor;
}

}  // namespace summand::model
