#include "io/npy_reader.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/git_lfs.hpp"
#include "base/half.hpp"
#include "base/paths.hpp"
#include "io/mapped_file.hpp"
#include "io/npy_header.hpp"

namespace summand::io {

namespace {

static_assert(std::endian::native == std::endian::little);

template <class Number>
Number read_number(const std::byte* from) {
  Number number{};
  std::memcpy(&number, from, sizeof(number));
  return number;
}

double element(const std::byte* data, NpyType type) {
  switch (type) {
    case NpyType::float16:
      return half_to_float(read_number<uint16_t>(data));
    case NpyType::float32:
      return read_number<float>(data);
    case NpyType::float64:
      return read_number<double>(data);
    case NpyType::int8:
      return read_number<int8_t>(data);
    case NpyType::uint8:
      return read_number<uint8_t>(data);
  }
  __builtin_unreachable();
}

NpyHeader header_of(const MappedFile& file, NpyNumbers numbers, const std::string& where) {
  refuse_git_lfs_pointer(file.text(), where);
  return parse_npy(file.text(), numbers, where);
}

}  // namespace

Matrix<double> read_npy(const std::filesystem::path& path) {
  const auto map = MappedFile::open(path);
  const std::string where = path_text(path);
  const NpyHeader header = header_of(*map, NpyNumbers::floating, where);
  if (header.rows == 0 || header.columns == 0) {
    throw ConfigError(where, fmt::format("expected a matrix with elements, got [{}, {}]", header.rows, header.columns));
  }
  const auto data = map->bytes().subspan(header.data_begin);
  Matrix<double> matrix(header.rows, header.columns);
  for (size_t row = 0; row < header.rows; ++row) {
    for (size_t column = 0; column < header.columns; ++column) {
      const bool rows_first = header.order == NpyOrder::rows_first;
      const size_t at = rows_first ? row * header.columns + column : column * header.rows + row;
      const double value = element(data.data() + at * size_of(header.type), header.type);
      if (!std::isfinite(value)) {
        throw ConfigError(where, fmt::format("expected finite numbers, got {} at [{}, {}]", value, row, column));
      }
      matrix(row, column) = value;
    }
  }
  return matrix;
}

NpyRows map_npy(const std::filesystem::path& path, NpyNumbers numbers) {
  const auto map = MappedFile::open(path);
  const std::string where = path_text(path);
  const NpyHeader header = header_of(*map, numbers, where);
  if (header.order == NpyOrder::columns_first && header.rows > 1 && header.columns > 1) {
    throw ConfigError(where, "expected rows one after the other (fortran_order False), got columns");
  }
  return {header.type, header.rows, header.columns, map->bytes().subspan(header.data_begin), map};
}

}  // namespace summand::io
