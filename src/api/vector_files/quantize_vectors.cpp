#include "api/vector_files/quantize_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/error.hpp"
#include "base/half.hpp"
#include "base/hash.hpp"

namespace summand {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

/// numpy.packbits less 128 is the same with the highest bit turned.
constexpr auto kTurn = std::byte{0x80};

void require_finite(const api::VectorBatch& batch, size_t row) {
  const auto vector = batch.vectors.row(row);
  const auto found = std::ranges::find_if(vector, [](float x) { return !std::isfinite(x); });
  if (found == vector.end()) return;
  throw UsageError(batch.name, fmt::format("expected finite numbers, got {} at [{}, {}]", *found, batch.first + row,
                                           found - vector.begin()));
}

void store_half(const api::VectorBatch& batch, size_t row, std::span<std::byte> to) {
  const auto vector = batch.vectors.row(row);
  for (size_t i = 0; i < vector.size(); ++i) {
    const uint16_t half = float_to_half(vector[i]);
    if ((half & 0x7FFFU) == 0x7C00U) {
      throw UsageError(batch.name, fmt::format("expected numbers within ±65504 for float16, got {} at [{}, {}]",
                                               vector[i], batch.first + row, i));
    }
    std::memcpy(to.data() + 2 * i, &half, 2);
  }
}

void store_steps(std::span<const float> vector, std::span<const float> starts, std::span<const float> steps,
                 std::span<std::byte> to) {
  for (size_t i = 0; i < vector.size(); ++i) {
    const float step = std::floor((vector[i] - starts[i]) / steps[i]);
    to[i] = static_cast<std::byte>(std::clamp(step, 0.0F, 255.0F));
  }
}

void store_bits(std::span<const float> vector, std::span<std::byte> to) {
  for (size_t i = 0; i < vector.size(); ++i) {
    if (vector[i] > 0) to[i / 8] |= std::byte{0x80} >> (i % 8);
  }
}

size_t bytes_of(VectorType type, size_t width) {
  return api::stored_columns(type, width) * io::size_of(api::npy_type(type));
}

}  // namespace

std::span<const model::EnumName<VectorType>> enum_names(VectorType) {
  static constexpr std::array names{
      model::EnumName{VectorType::float32, "float32"}, model::EnumName{VectorType::float16, "float16"},
      model::EnumName{VectorType::int8, "int8"},       model::EnumName{VectorType::uint8, "uint8"},
      model::EnumName{VectorType::binary, "binary"},   model::EnumName{VectorType::ubinary, "ubinary"},
  };
  return names;
}

VectorRanges ranges_of(MatrixView<const float> vectors) {
  auto ranges = api::find_ranges(vectors);
  static_cast<void>(api::step_widths(ranges));
  if (ranges.least == ranges.largest) api::require_several(1);
  return ranges;
}

Matrix<std::byte> quantize_vectors(MatrixView<const float> vectors, VectorType type,
                                   const std::optional<VectorRanges>& ranges) {
  VectorRanges used;
  if (api::needs_ranges(type) && vectors.rows() > 0) {
    if (!ranges) api::require_several(vectors.rows());
    used = ranges ? *ranges : ranges_of(vectors);
    api::check_ranges(used, vectors.columns());
  }
  return api::quantize({.vectors = vectors}, type, used);
}

namespace api {

VectorType vector_type_named(std::string_view name) {
  if (const auto type = model::value_named<VectorType>(name)) return *type;
  throw UsageError("dtype",
                   fmt::format("expected one of {}, got '{}'", model::known_names<VectorType>(), printable(name)));
}

io::NpyType npy_type(VectorType type) {
  switch (type) {
    case VectorType::float32:
      return io::NpyType::float32;
    case VectorType::float16:
      return io::NpyType::float16;
    case VectorType::int8:
    case VectorType::binary:
      return io::NpyType::int8;
    case VectorType::uint8:
    case VectorType::ubinary:
      return io::NpyType::uint8;
  }
  throw UsageError("dtype", fmt::format("expected a VectorType, got the number {}", static_cast<int>(type)));
}

size_t stored_columns(VectorType type, size_t width) {
  return type == VectorType::binary || type == VectorType::ubinary ? (width + 7) / 8 : width;
}

bool needs_ranges(VectorType type) {
  return type == VectorType::int8 || type == VectorType::uint8;
}

void check_ranges(const VectorRanges& ranges, size_t width) {
  if (ranges.least.size() == width && ranges.largest.size() == width) return;
  throw UsageError("ranges", fmt::format("expected those of {} coordinates, as the vectors have, got {}", width,
                                         ranges.least.size()));
}

VectorRanges find_ranges(MatrixView<const float> vectors) {
  if (vectors.rows() == 0) throw UsageError("ranges", "expected vectors to take ranges from, got none");
  VectorRanges ranges{.least = {}, .largest = {}, .vectors = vectors.rows()};
  for (size_t row = 0; row < vectors.rows(); ++row) {
    const auto vector = vectors.row(row);
    require_finite({.vectors = vectors}, row);
    if (row == 0) {
      ranges.least.assign(vector.begin(), vector.end());
      ranges.largest = ranges.least;
    }
    for (size_t i = 0; i < vector.size(); ++i) {
      ranges.least[i] = std::min(ranges.least[i], vector[i]);
      ranges.largest[i] = std::max(ranges.largest[i], vector[i]);
    }
  }
  return ranges;
}

void require_several(size_t vectors) {
  if (vectors > 1) return;
  throw UsageError("dtype",
                   "expected vectors that differ, or --calibration FILE.npy with some that do, since steps go from "
                   "each coordinate's least value to its largest; got one vector");
}

uint64_t fingerprint(const VectorRanges& ranges) {
  Hash hash;
  for (const auto* values : {&ranges.least, &ranges.largest}) {
    for (const float value : *values) hash.add_number(std::bit_cast<uint32_t>(value));
  }
  return hash.value();
}

std::vector<float> step_widths(const VectorRanges& ranges) {
  std::vector<float> steps(ranges.least.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const float step = (ranges.largest[i] - ranges.least[i]) / 255.0F;
    if (!std::isfinite(step)) {
      throw UsageError("ranges", fmt::format("expected ranges as wide as a float holds, got {} to {} at {}",
                                             ranges.least[i], ranges.largest[i], i));
    }
    steps[i] = step == 0 ? 1.0F : step;
  }
  return steps;
}

Matrix<std::byte> quantize(const VectorBatch& batch, VectorType type, const VectorRanges& ranges) {
  const auto& vectors = batch.vectors;
  Matrix<std::byte> stored(vectors.rows(), bytes_of(type, vectors.columns()));
  const auto steps = step_widths(ranges);
  for (size_t row = 0; row < vectors.rows(); ++row) {
    const auto vector = vectors.row(row);
    const auto to = stored.row(row);
    require_finite(batch, row);
    switch (type) {
      case VectorType::float32:
        std::ranges::copy(std::as_bytes(vector), to.begin());
        break;
      case VectorType::float16:
        store_half(batch, row, to);
        break;
      case VectorType::int8:
      case VectorType::uint8:
        store_steps(vector, ranges.least, steps, to);
        break;
      case VectorType::binary:
      case VectorType::ubinary:
        store_bits(vector, to);
        break;
    }
    if (type != VectorType::int8 && type != VectorType::binary) continue;
    for (std::byte& byte : to) byte ^= kTurn;
  }
  return stored;
}

void append_numbers(std::string& text, std::span<const std::byte> row, VectorType type) {
  const io::NpyType stored = npy_type(type);
  const size_t size = io::size_of(stored);
  const char* between = "";
  for (size_t at = 0; at < row.size(); at += size) {
    const std::byte* const from = row.data() + at;
    auto out = std::back_inserter(text);
    if (stored == io::NpyType::int8) {
      fmt::format_to(out, "{}{}", between, static_cast<int>(static_cast<int8_t>(*from)));
    } else if (stored == io::NpyType::uint8) {
      fmt::format_to(out, "{}{}", between, static_cast<int>(*from));
    } else if (stored == io::NpyType::float16) {
      uint16_t half = 0;
      std::memcpy(&half, from, sizeof(half));
      fmt::format_to(out, "{}{}", between, half_to_float(half));
    } else {
      float value = 0;
      std::memcpy(&value, from, sizeof(value));
      fmt::format_to(out, "{}{}", between, value);
    }
    between = ",";
  }
}

}  // namespace api

}  // namespace summand
