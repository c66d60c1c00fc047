#include "io/npy_header.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace summand::io {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionBytes = 2;

/// Reads a Python literal of the kind {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, NpyNumbers numbers, std::string_view where)
      : rest_(text), numbers_(numbers), where_(where) {}

  NpyHeader read() {
    NpyHeader header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !has_type) {
        has_type = true;
        header.type = type_named(quoted());
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.order = truth() ? NpyOrder::columns_first : NpyOrder::rows_first;
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        read_shape(header);
      } else {
        refuse("the keys descr, fortran_order and shape once", fmt::format("'{}'", printable(key)));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty() || !has_type || !has_order || !has_shape) {
      refuse("a header of descr, fortran_order and shape", "another");
    }
    return header;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected, std::string_view got) const {
    throw ConfigError(where_, fmt::format("expected {}, got {}", expected, got));
  }

  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }

  bool take(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) refuse(fmt::format("'{}' in the header", wanted), fmt::format("'{}'", printable(rest_)));
  }

  std::string_view quoted() {
    expect('\'');
    const size_t end = rest_.find('\'');
    if (end == rest_.npos) refuse("a quotation mark in the header", "none");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool truth() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    refuse("True or False for fortran_order", fmt::format("'{}'", printable(rest_)));
  }

  NpyType type_named(std::string_view name) const {
    const auto type = model::value_named<NpyType>(name);
    const bool is_integer = type == NpyType::int8 || type == NpyType::uint8;
    if (type && (numbers_ == NpyNumbers::all || !is_integer)) return *type;
    refuse(
        numbers_ == NpyNumbers::all ? "numbers of type <f2, <f4, <f8, |i1 or |u1" : "numbers of type <f2, <f4 or <f8",
        fmt::format("'{}'", printable(name)));
  }

  size_t size() {
    skip_space();
    size_t number = 0;
    size_t digits = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      if (++digits > 15) refuse("a size", "a number of more than 15 digits");
      number = 10 * number + static_cast<size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (digits == 0) refuse("a size", fmt::format("'{}'", printable(rest_)));
    return number;
  }

  void read_shape(NpyHeader& header) {
    expect('(');
    size_t dimensions = 0;
    bool is_matrix = true;
    while (!take(')')) {
      is_matrix = is_matrix && (dimensions < 2 || header.rows == 1);
      header.rows = header.columns;
      header.columns = size();
      ++dimensions;
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    if (dimensions < 2 || !is_matrix) {
      refuse("a matrix, [rows, columns], behind dimensions of 1",
             fmt::format("{} dimension{}", dimensions, dimensions == 1 ? "" : "s"));
    }
  }

  std::string_view rest_;
  NpyNumbers numbers_;
  std::string_view where_;
};

/// The header's text, and where the data begin.
std::pair<std::string_view, size_t> header_text(std::string_view file, std::string_view where) {
  const auto fail = [&](std::string_view got) {
    throw ConfigError(where, fmt::format("expected a NumPy file, got {}", got));
  };
  if (!file.starts_with(kMagic)) fail("another kind of file");
  if (file.size() < kMagic.size() + kVersionBytes) fail("a file that ends in its header");
  const auto version = static_cast<unsigned char>(file[kMagic.size()]);
  if (version < 1 || version > 3) fail(fmt::format("one of version {}", version));
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + kVersionBytes + length_bytes;
  if (file.size() < begin) fail("a file that ends in its header");
  uint32_t length = 0;
  std::memcpy(&length, file.data() + begin - length_bytes, length_bytes);
  if (length > file.size() - begin) fail("a file that ends in its header");
  return {file.substr(begin, length), begin + length};
}

void check_size(const NpyHeader& header, size_t bytes, std::string_view where) {
  uint64_t needed = 0;
  const bool fits = !__builtin_mul_overflow(header.rows, header.columns, &needed) &&
                    !__builtin_mul_overflow(needed, size_of(header.type), &needed) && needed == bytes;
  if (fits) return;
  throw ConfigError(where, fmt::format("expected the data of [{}, {}] numbers of {} bytes, got {} bytes", header.rows,
                                       header.columns, size_of(header.type), bytes));
}

}  // namespace

std::span<const model::EnumName<NpyType>> enum_names(NpyType) {
  static constexpr std::array names{
      model::EnumName{NpyType::float16, "<f2"}, model::EnumName{NpyType::float32, "<f4"},
      model::EnumName{NpyType::float64, "<f8"}, model::EnumName{NpyType::int8, "|i1"},
      model::EnumName{NpyType::uint8, "|u1"},
  };
  return names;
}

size_t size_of(NpyType type) {
  switch (type) {
    case NpyType::float64:
      return 8;
    case NpyType::float32:
      return 4;
    case NpyType::float16:
      return 2;
    case NpyType::int8:
    case NpyType::uint8:
      return 1;
  }
  __builtin_unreachable();
}

NpyHeader parse_npy(std::string_view file, NpyNumbers numbers, std::string_view where) {
  const auto [text, data_begin] = header_text(file, where);
  NpyHeader header = HeaderReader(text, numbers, where).read();
  header.data_begin = data_begin;
  check_size(header, file.size() - data_begin, where);
  return header;
}

}  // namespace summand::io
