#include "python/binding/arrow_strings.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "python/binding/errors.hpp"
#include "summand/error.hpp"

// The structures of Arrow's interface for C: their names and members are the standard's.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace summand::python {

struct ArrowStrings::Chunk {
  ArrowArray array{};
  Chunk() = default;
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() {
    if (array.release != nullptr) array.release(&array);
  }
};

namespace {

struct Schema {
  ArrowSchema schema{};
  Schema() = default;
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema() {
    if (schema.release != nullptr) schema.release(&schema);
  }
};

bool is_valid(const ArrowArray& array, int64_t index) {
  const auto* bits = static_cast<const uint8_t*>(array.buffers[0]);
  if (bits == nullptr || array.null_count == 0) return true;
  const int64_t bit = array.offset + index;
  return (bits[bit / 8] >> (bit % 8) & 1) != 0;
}

/// "u" and "U": offsets and bytes.
template <class Offset>
std::string_view string_at(const ArrowArray& array, int64_t index) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset + index;
  const auto* bytes = static_cast<const char*>(array.buffers[2]);
  return {bytes + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
}

/// "vu": 16 bytes each, with the string if it has at most 12, else where it lies.
std::string_view view_at(const ArrowArray& array, int64_t index) {
  const auto* view = static_cast<const char*>(array.buffers[1]) + 16 * (array.offset + index);
  int32_t length = 0, buffer = 0, offset = 0;
  std::memcpy(&length, view, sizeof length);
  if (length <= 12) return {view + 4, static_cast<size_t>(length)};
  std::memcpy(&buffer, view + 8, sizeof buffer);
  std::memcpy(&offset, view + 12, sizeof offset);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, static_cast<size_t>(length)};
}

void* pointer_in(const nb::object& capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) nb::raise_python_error();
  return pointer;
}

/// What a capsule holds may be taken once.
void check_held(bool is_held, std::string_view argument) {
  if (!is_held) throw TextError(argument, "expected a column, got one that has been taken already");
}

void check_type(const ArrowSchema& schema, std::string_view argument) {
  const std::string_view format = schema.format;
  if (schema.dictionary == nullptr && (format == "u" || format == "U" || format == "vu")) return;
  const std::string got = schema.dictionary != nullptr ? "a dictionary-encoded (categorical) column"
                                                       : fmt::format("Arrow's type '{}'", format);
  const std::string message = fmt::format("[{}] expected a column of strings, got {}", argument, got);
  PyErr_SetString(PyExc_TypeError, message.c_str());
  nb::raise_python_error();
}

}  // namespace

bool ArrowStrings::can_read(nb::handle column) {
  return nb::hasattr(column, "__arrow_c_stream__") || nb::hasattr(column, "__arrow_c_array__");
}

ArrowStrings::ArrowStrings(nb::handle column, std::string_view argument) {
  if (nb::hasattr(column, "__arrow_c_stream__")) {
    read_stream(column, argument);
  } else {
    read_array(column, argument);
  }
}

ArrowStrings::~ArrowStrings() = default;

void ArrowStrings::read_stream(nb::handle column, std::string_view argument) {
  const nb::object capsule = column.attr("__arrow_c_stream__")();
  auto* stream = static_cast<ArrowArrayStream*>(pointer_in(capsule, "arrow_array_stream"));
  check_held(stream->release != nullptr, argument);
  const auto check = [&](int status) {
    if (status == 0) return;
    const char* fault = stream->get_last_error(stream);
    throw TextError(argument, fmt::format("expected a column, got an error: {}", fault == nullptr ? "" : fault));
  };
  Schema schema;
  check(stream->get_schema(stream, &schema.schema));
  check_type(schema.schema, argument);
  while (true) {
    auto chunk = std::make_unique<Chunk>();
    check(stream->get_next(stream, &chunk->array));
    if (chunk->array.release == nullptr) return;
    take(*chunk, schema.schema.format, argument);
    chunks_.push_back(std::move(chunk));
  }
}

void ArrowStrings::read_array(nb::handle column, std::string_view argument) {
  const nb::object capsules = column.attr("__arrow_c_array__")();
  auto* schema = static_cast<ArrowSchema*>(pointer_in(capsules[0], "arrow_schema"));
  auto* array = static_cast<ArrowArray*>(pointer_in(capsules[1], "arrow_array"));
  check_held(schema->release != nullptr && array->release != nullptr, argument);
  check_type(*schema, argument);
  auto chunk = std::make_unique<Chunk>();
  chunk->array = *array;
  array->release = nullptr;  // moved, as the interface has it
  take(*chunk, schema->format, argument);
  chunks_.push_back(std::move(chunk));
}

void ArrowStrings::take(const Chunk& chunk, std::string_view format, std::string_view argument) {
  strings_.reserve(strings_.size() + static_cast<size_t>(chunk.array.length));
  for (int64_t index = 0; index < chunk.array.length; ++index) {
    if (!is_valid(chunk.array, index)) {
      throw TextError(fmt::format("{}[{}]", argument, strings_.size()), "expected str, got a missing value");
    }
    strings_.push_back(format == "u"   ? string_at<int32_t>(chunk.array, index)
                       : format == "U" ? string_at<int64_t>(chunk.array, index)
                                       : view_at(chunk.array, index));
  }
}

}  // namespace summand::python
