#include "io/npy_writer.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::io {

namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they lie");

/// Magic, version, length and dictionary: 128 bytes for every shape, so that a later one fits in the earlier's place.
std::string header(NpyType type, size_t rows, size_t columns) {
  constexpr size_t kBytes = 128;
  constexpr size_t kDictionaryBytes = kBytes - 10;
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                       model::name_of(type), rows, columns);
  dictionary.resize(kDictionaryBytes - 1, ' ');
  dictionary += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(kDictionaryBytes);
  text += '\0';
  return text + dictionary;
}

}  // namespace

NpyWriter::NpyWriter(OutputFile& file, Shape shape) : file_(file), shape_(shape) {
  if (!shape_.rows && !file_.can_seek()) {
    throw UsageError(path_text(file_.path()),
                     "expected a regular file, since the rows are not counted yet, got a pipe");
  }
  values_ = static_cast<uint64_t>(shape_.rows_there) * shape_.columns;
  if (file_.position() == 0) file_.write(header(shape_.type, shape_.rows.value_or(0), shape_.columns));
}

void NpyWriter::append(std::span<const float> values) {
  SUMMAND_ASSERT(shape_.type == NpyType::float32);
  append(std::as_bytes(values));
}

void NpyWriter::append(std::span<const std::byte> values) {
  const size_t row_bytes = shape_.columns * size_of(shape_.type);
  if (row_bytes == 0 ? !values.empty() : values.size() % row_bytes != 0) {
    throw UsageError(path_text(file_.path()), fmt::format("expected rows of {} numbers, got {}", shape_.columns,
                                                          values.size() / size_of(shape_.type)));
  }
  file_.write(values);
  values_ += values.size() / size_of(shape_.type);
}

void NpyWriter::finish() {
  const size_t rows = shape_.columns == 0 ? shape_.rows.value_or(0) : values_ / shape_.columns;
  if (shape_.rows && *shape_.rows != rows) {
    throw UsageError(path_text(file_.path()), fmt::format("expected {} rows, got {}", *shape_.rows, rows));
  }
  if (!shape_.rows)
    file_.write_at(0, std::as_bytes(std::span(std::string_view(header(shape_.type, rows, shape_.columns)))));
}

}  // namespace summand::io
