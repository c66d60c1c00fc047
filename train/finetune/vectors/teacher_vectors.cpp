#include "train/finetune/vectors/teacher_vectors.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "base/half.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"

namespace summand::train {

namespace {

template <class Number>
Number number_at(std::span<const std::byte> bytes, size_t index) {
  Number number{};
  std::memcpy(&number, bytes.data() + index * sizeof(number), sizeof(number));
  return number;
}

float element(const io::NpyRows& file, size_t index) {
  switch (file.type) {
    case io::NpyType::float16:
      return half_to_float(number_at<uint16_t>(file.bytes, index));
    case io::NpyType::float32:
      return number_at<float>(file.bytes, index);
    case io::NpyType::float64:
      return static_cast<float>(number_at<double>(file.bytes, index));
    case io::NpyType::int8:
      return number_at<int8_t>(file.bytes, index);
    case io::NpyType::uint8:
      return number_at<uint8_t>(file.bytes, index);
  }
  __builtin_unreachable();
}

}  // namespace

TeacherVectors::TeacherVectors(const std::filesystem::path& path, size_t rows, const std::string& of)
    : file_(io::map_npy(path, io::NpyNumbers::floating)) {
  const std::string where = path_text(path);
  if (file_.rows != rows || file_.columns == 0) {
    throw ConfigError(where, fmt::format("expected a vector for each of the {} rows of {}, got [{}, {}]", rows, of,
                                         file_.rows, file_.columns));
  }
  for (size_t i = 0; i < file_.rows * file_.columns; ++i) {
    if (std::isfinite(element(file_, i))) continue;
    throw ConfigError(where, fmt::format("expected finite numbers, got {} at [{}, {}]", element(file_, i),
                                         i / file_.columns, i % file_.columns));
  }
  Hash hash;
  hash.add_number(static_cast<uint64_t>(file_.type));
  hash.add_number(file_.columns);
  hash.add_bytes(file_.bytes);
  hash_ = fmt::format("{:016x}", hash.value());
}

at::Tensor TeacherVectors::rows(std::span<const size_t> chosen) const {
  const auto width = static_cast<int64_t>(file_.columns);
  const at::Tensor rows = at::empty({static_cast<int64_t>(chosen.size()), width}, at::kFloat);
  auto* to = rows.mutable_data_ptr<float>();
  for (const size_t row : chosen) {
    for (size_t column = 0; column < file_.columns; ++column) *to++ = element(file_, row * file_.columns + column);
  }
  return rows;
}

}  // namespace summand::train
