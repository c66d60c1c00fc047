#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "python/binding/python.hpp"

namespace summand::python {

/// The strings of a column of pyarrow, polars, pandas or any other library, read where they lie by Arrow's interface
/// for C. Holds the column. Source: Arrow columnar format, "The Arrow C data interface" and "The Arrow PyCapsule
/// Interface"
class ArrowStrings {
 public:
  /// Whether it has __arrow_c_stream__ or __arrow_c_array__.
  [[nodiscard]] static bool can_read(nb::handle column);

  /// @param argument  its name, for messages
  /// @throws TypeError (Python's) if the column's type is no string, TextError naming a row without a value
  ArrowStrings(nb::handle column, std::string_view argument);
  ~ArrowStrings();
  ArrowStrings(const ArrowStrings&) = delete;
  ArrowStrings& operator=(const ArrowStrings&) = delete;

  [[nodiscard]] const std::vector<std::string_view>& strings() const { return strings_; }

 private:
  struct Chunk;
  void read_stream(nb::handle column, std::string_view argument);
  void read_array(nb::handle column, std::string_view argument);
  void take(const Chunk& chunk, std::string_view format, std::string_view argument);

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::string_view> strings_;
};

}  // namespace summand::python
