#include "io/non_finite.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace summand::io {

namespace {

/// IEEE 754: a number is NaN or infinite exactly when all bits of its exponent are set. Tested on the integers, a block
/// at a time without a branch inside, so that the compiler makes vector code of it.
template <class Bits>
std::optional<size_t> first_with_full_exponent(std::span<const std::byte> bytes, Bits exponent) {
  constexpr size_t kBlock = 4096;
  const size_t elements = bytes.size() / sizeof(Bits);
  const auto full = [&](size_t index) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + index * sizeof(Bits), sizeof(Bits));
    return static_cast<Bits>((bits & exponent) == exponent);
  };
  for (size_t begin = 0; begin < elements; begin += kBlock) {
    const size_t end = std::min(elements, begin + kBlock);
    Bits any = 0;
    for (size_t i = begin; i < end; ++i) any = static_cast<Bits>(any | full(i));
    if (any == 0) continue;
    for (size_t i = begin; i < end; ++i) {
      if (full(i) != 0) return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> first_non_finite(const model::Tensor& tensor) {
  switch (tensor.dtype) {
    case model::DType::f32:
      return first_with_full_exponent<uint32_t>(tensor.bytes, 0x7F800000U);
    case model::DType::f16:
      return first_with_full_exponent<uint16_t>(tensor.bytes, 0x7C00U);
    case model::DType::bf16:
      return first_with_full_exponent<uint16_t>(tensor.bytes, 0x7F80U);
    case model::DType::i8:
    case model::DType::i64:
      return std::nullopt;
  }
  __builtin_unreachable();
}

}  // namespace summand::io
