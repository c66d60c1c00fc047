#include "io/npy_reader.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/mapped_file.hpp"
#include "model/tensor.hpp"

namespace summand::io {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionBytes = 2;

enum class Order { rows_first, columns_first };

struct Header {
  size_t element_bytes = 0;
  Order order = Order::rows_first;
  size_t rows = 0;
  size_t columns = 0;
};

/// Reads a Python literal of the kind {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view where) : rest_(text), where_(where) {}

  Header read() {
    Header header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !has_type) {
        has_type = true;
        header.element_bytes = element_bytes(quoted());
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.order = truth() ? Order::columns_first : Order::rows_first;
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

  size_t element_bytes(std::string_view type) const {
    if (type == "<f2") return 2;
    if (type == "<f4") return 4;
    if (type == "<f8") return 8;
    refuse("numbers of type <f2, <f4 or <f8", fmt::format("'{}'", printable(type)));
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

  void read_shape(Header& header) {
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
      refuse("a matrix, [rows, columns], behind dimensions of 1", fmt::format("{} dimensions", dimensions));
    }
  }

  std::string_view rest_;
  std::string_view where_;
};

template <class Number>
Number read_number(const std::byte* from) {
  Number number{};
  std::memcpy(&number, from, sizeof(number));
  return number;
}

double element(const std::byte* data, size_t bytes) {
  if (bytes == 8) return read_number<double>(data);
  if (bytes == 4) return read_number<float>(data);
  const model::Tensor half{.dtype = model::DType::f16, .shape = {1}, .bytes = {data, 2}, .source = {}};
  return model::to_doubles(half)[0];
}

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

void check_size(const Header& header, size_t bytes, std::string_view where) {
  if (header.rows == 0 || header.columns == 0) {
    throw ConfigError(where, fmt::format("expected a matrix with elements, got [{}, {}]", header.rows, header.columns));
  }
  uint64_t needed = 0;
  const bool fits = !__builtin_mul_overflow(header.rows, header.columns, &needed) &&
                    !__builtin_mul_overflow(needed, header.element_bytes, &needed) && needed == bytes;
  if (fits) return;
  throw ConfigError(where, fmt::format("expected the data of [{}, {}] numbers of {} bytes, got {} bytes", header.rows,
                                       header.columns, header.element_bytes, bytes));
}

}  // namespace

Matrix<double> read_npy(const std::filesystem::path& path) {
  const auto map = MappedFile::open(path);
  const std::string where = path_text(path);
  const auto [text, data_begin] = header_text(map->text(), where);
  const Header header = HeaderReader(text, where).read();
  const auto data = map->bytes().subspan(data_begin);
  check_size(header, data.size(), where);
  Matrix<double> matrix(header.rows, header.columns);
  for (size_t row = 0; row < header.rows; ++row) {
    for (size_t column = 0; column < header.columns; ++column) {
      const bool rows_first = header.order == Order::rows_first;
      const size_t at = rows_first ? row * header.columns + column : column * header.rows + row;
      const double value = element(data.data() + at * header.element_bytes, header.element_bytes);
      if (!std::isfinite(value)) {
        throw ConfigError(where, fmt::format("expected finite numbers, got {} at [{}, {}]", value, row, column));
      }
      matrix(row, column) = value;
    }
  }
  return matrix;
}

}  // namespace summand::io
