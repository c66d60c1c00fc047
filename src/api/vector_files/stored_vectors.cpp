#include "api/vector_files/stored_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "api/vector_files/quantize_vectors.hpp"
#include "base/error.hpp"
#include "base/half.hpp"
#include "base/paths.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"

namespace summand::api {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBlockRows = 1024;

template <class Number>
Number number_at(const std::byte* row, size_t index) {
  Number number;
  std::memcpy(&number, row + index * sizeof(Number), sizeof(Number));
  return number;
}

bool is_finite(float x) {
  return std::isfinite(x);
}

}  // namespace

StoredVectors::StoredVectors(MatrixView<const float> vectors, std::string name)
    : name_(std::move(name)),
      rows_(vectors.rows()),
      width_(vectors.columns()),
      begin_(reinterpret_cast<const std::byte*>(vectors.data())),
      row_bytes_(vectors.stride() * sizeof(float)) {}

StoredVectors::StoredVectors(const fs::path& path, const io::NpyRows& file, std::optional<size_t> width)
    : name_(path_text(path)),
      rows_(file.rows),
      begin_(file.bytes.data()),
      row_bytes_(file.columns * io::size_of(file.type)),
      source_(file.source) {
  set_coding(file, width);
}

StoredVectors StoredVectors::open(const fs::path& path, const Interpretation& interpretation) {
  const io::NpyRows file = io::map_npy(path);
  StoredVectors vectors(path, file, interpretation.width);
  if (vectors.coding_ != VectorCoding::int8 && vectors.coding_ != VectorCoding::uint8) return vectors;
  std::error_code ignored;
  if (!interpretation.ranges && !fs::exists(ranges_path(path), ignored)) {
    const auto type = vectors.coding_ == VectorCoding::int8 ? "int8" : "uint8";
    throw ConfigError(vectors.name_, fmt::format("expected {} next to it, the ranges that its {} numbers are steps of, "
                                                 "got no such file",
                                                 path_text(ranges_path(path).filename()), type));
  }
  vectors.set_ranges(interpretation.ranges ? *interpretation.ranges : read_ranges(ranges_path(path)));
  return vectors;
}

StoredVectors StoredVectors::open_floats(const fs::path& path) {
  return {path, io::map_npy(path, io::NpyNumbers::floating), std::nullopt};
}

void StoredVectors::set_coding(const io::NpyRows& file, std::optional<size_t> width) {
  const bool is_byte = file.type == io::NpyType::int8 || file.type == io::NpyType::uint8;
  width_ = width.value_or(file.columns);
  const bool is_bits = is_byte && width_ != file.columns && (width_ + 7) / 8 == file.columns;
  if (!is_bits && width_ != file.columns) {
    throw ConfigError(name_,
                      fmt::format("expected vectors of {} numbers{}, as the queries have, got {}", width_,
                                  is_byte ? fmt::format(" or {} bytes of bits", (width_ + 7) / 8) : "", file.columns));
  }
  switch (file.type) {
    case io::NpyType::float16:
      coding_ = VectorCoding::float16;
      break;
    case io::NpyType::float32:
      coding_ = VectorCoding::float32;
      break;
    case io::NpyType::float64:
      coding_ = VectorCoding::float64;
      break;
    case io::NpyType::int8:
      coding_ = is_bits ? VectorCoding::binary : VectorCoding::int8;
      break;
    case io::NpyType::uint8:
      coding_ = is_bits ? VectorCoding::ubinary : VectorCoding::uint8;
      break;
  }
}

void StoredVectors::set_ranges(const VectorRanges& ranges) {
  if (ranges.least.size() != width_) {
    throw ConfigError(name_, fmt::format("expected ranges of {} coordinates, got {}", width_, ranges.least.size()));
  }
  starts_ = ranges.least;
  steps_ = step_widths(ranges);
}

void StoredVectors::decode(const std::byte* row, float* to) const {
  const auto step = [&](size_t i, int code) {
    return static_cast<float>(code * static_cast<double>(steps_[i]) + static_cast<double>(starts_[i]));
  };
  const auto sign = [&](size_t i, unsigned turned) {
    return (((static_cast<unsigned>(row[i / 8]) ^ turned) << (i % 8)) & 0x80U) != 0 ? 1.0F : -1.0F;
  };
  switch (coding_) {
    case VectorCoding::float16:
      for (size_t i = 0; i < width_; ++i) to[i] = half_to_float(number_at<uint16_t>(row, i));
      break;
    case VectorCoding::float32:
      std::memcpy(to, row, width_ * sizeof(float));
      break;
    case VectorCoding::float64:
      for (size_t i = 0; i < width_; ++i) to[i] = static_cast<float>(number_at<double>(row, i));
      break;
    case VectorCoding::int8:
      for (size_t i = 0; i < width_; ++i) to[i] = step(i, number_at<int8_t>(row, i) + 128);
      break;
    case VectorCoding::uint8:
      for (size_t i = 0; i < width_; ++i) to[i] = step(i, number_at<uint8_t>(row, i));
      break;
    case VectorCoding::binary:
      for (size_t i = 0; i < width_; ++i) to[i] = sign(i, 0x80U);
      break;
    case VectorCoding::ubinary:
      for (size_t i = 0; i < width_; ++i) to[i] = sign(i, 0);
      break;
  }
}

MatrixView<const float> StoredVectors::floats(size_t begin, size_t count, std::vector<float>& scratch) const {
  const std::byte* const from = begin_ + begin * row_bytes_;
  const bool is_aligned = std::bit_cast<std::uintptr_t>(from) % alignof(float) == 0;
  if (coding_ == VectorCoding::float32 && is_aligned) {
    return {reinterpret_cast<const float*>(from), count, width_, row_bytes_ / sizeof(float)};
  }
  scratch.resize(count * width_);
  for (size_t row = 0; row < count; ++row) decode(from + row * row_bytes_, scratch.data() + row * width_);
  return {scratch.data(), count, width_};
}

void StoredVectors::refuse_row(size_t row) const {
  std::vector<float> scratch;
  const auto vector = floats(row, 1, scratch).row(0);
  const auto found = std::ranges::find_if_not(vector, is_finite);
  const auto column = std::min<size_t>(static_cast<size_t>(found - vector.begin()), width_ - 1);
  throw TextError(name_, fmt::format("expected finite numbers, got {} at [{}, {}]", vector[column], row, column));
}

fs::path ranges_path(const fs::path& vectors) {
  fs::path path = vectors;
  path += ".ranges.npy";
  return path;
}

void for_each_block(const StoredVectors& vectors, const std::function<void(MatrixView<const float>, size_t)>& take) {
  std::vector<float> scratch;
  for (size_t begin = 0; begin < vectors.rows(); begin += kBlockRows) {
    const auto block = vectors.floats(begin, std::min(kBlockRows, vectors.rows() - begin), scratch);
    for (size_t row = 0; row < block.rows(); ++row) {
      if (!std::ranges::all_of(block.row(row), is_finite)) vectors.refuse_row(begin + row);
    }
    take(block, begin);
  }
}

VectorRanges ranges_of(const StoredVectors& vectors) {
  if (vectors.rows() == 0) throw UsageError(vectors.name(), "expected vectors to take ranges from, got none");
  Matrix<float> extremes(2, vectors.width());
  bool has_any = false;
  for_each_block(vectors, [&](MatrixView<const float> block, size_t) {
    const auto some = find_ranges(block);
    for (size_t i = 0; i < vectors.width(); ++i) {
      extremes(0, i) = has_any ? std::min(extremes(0, i), some.least[i]) : some.least[i];
      extremes(1, i) = has_any ? std::max(extremes(1, i), some.largest[i]) : some.largest[i];
    }
    has_any = true;
  });
  auto ranges = summand::ranges_of(extremes.view());
  ranges.vectors = vectors.rows();
  return ranges;
}

void write_ranges(const VectorRanges& ranges, const fs::path& vectors) {
  io::OutputFile out(ranges_path(vectors));
  io::NpyWriter writer(out, {.rows = 2, .columns = ranges.least.size()});
  writer.append(std::span<const float>(ranges.least));
  writer.append(std::span<const float>(ranges.largest));
  writer.finish();
  out.commit();
}

VectorRanges read_ranges(const fs::path& path) {
  return ranges_of(StoredVectors::open_floats(path));
}

}  // namespace summand::api
