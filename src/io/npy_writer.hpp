#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/npy_header.hpp"
#include "io/output_file.hpp"

namespace summand::io {

/// Writes a matrix as a NumPy file, row by row, without holding it: format 1.0, C order.
/// Source: numpy.lib.format, "Format Version 1.0"
class NpyWriter {
 public:
  struct Shape {
    std::optional<size_t> rows;  ///< absent: counted, and written into the header by finish()
    size_t columns = 0;
    size_t rows_there = 0;  ///< rows of an earlier run that the file begins with, its header in front of them
    NpyType type = NpyType::float32;
  };

  /// @param file  outlives this object; empty, or continued behind `rows_there` rows
  /// @throws UsageError if the number of rows is not known and the file is a pipe, whose header cannot be written later
  NpyWriter(OutputFile& file, Shape shape);

  /// @param values  whole rows, one after the other; the file is of float32
  /// @throws UsageError if they are not whole rows
  void append(std::span<const float> values);

  /// @param values  whole rows, as bytes of the file's type
  /// @throws UsageError if they are not whole rows
  void append(std::span<const std::byte> values);

  /// Completes the header. The file is still to be committed.
  /// @throws UsageError if the rows are not as many as stated
  void finish();

 private:
  OutputFile& file_;
  Shape shape_;
  uint64_t values_ = 0;
};

}  // namespace summand::io
