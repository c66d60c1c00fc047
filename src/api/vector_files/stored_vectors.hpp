#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "io/npy_reader.hpp"
#include "summand/vectors.hpp"

namespace summand::api {

using summand::VectorRanges;

/// Number type of a file of vectors.
enum class VectorCoding { float16, float32, float64, int8, uint8, binary, ubinary };

/// Sentence vectors in memory or in a mapped file, of any type, read as floats: float16 exactly, float64 rounded, int8
/// and uint8 as the lower bounds of their steps (as in sentence-transformers), bits as +1 and -1.
///
/// Thread-safety: const members may be called from several threads at once.
class StoredVectors {
 public:
  /// @param vectors  outlive this object
  /// @param name  for messages
  StoredVectors(MatrixView<const float> vectors, std::string name);

  /// How to interpret a file's numbers.
  struct Interpretation {
    /// Coordinates of a vector, if known. Without it bytes are int8 or uint8, never bits.
    std::optional<size_t> width = {};
    /// For int8 and uint8; none: those in FILE.ranges.npy.
    std::optional<VectorRanges> ranges = {};
  };
  /// Maps a NumPy file.
  /// @throws IoError or ConfigError if it is not such a file
  /// @throws ConfigError also if its vectors have another width, or the ranges are missing or have another width
  [[nodiscard]] static StoredVectors open(const std::filesystem::path& path, const Interpretation& interpretation);
  /// Maps a NumPy file of floats, of any width.
  /// @throws IoError or ConfigError if it is not such a file
  [[nodiscard]] static StoredVectors open_floats(const std::filesystem::path& path);

  [[nodiscard]] size_t rows() const { return rows_; }
  [[nodiscard]] size_t width() const { return width_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] VectorCoding coding() const { return coding_; }

  /// Rows [begin, begin + count).
  /// @param scratch  receives them unless they are stored as floats
  /// @return valid as long as this object and `scratch`
  [[nodiscard]] MatrixView<const float> floats(size_t begin, size_t count, std::vector<float>& scratch) const;

  /// @throws TextError naming the first number of the row that is not finite
  [[noreturn]] void refuse_row(size_t row) const;

 private:
  StoredVectors(const std::filesystem::path& path, const io::NpyRows& file, std::optional<size_t> width);
  void set_coding(const io::NpyRows& file, std::optional<size_t> width);
  void set_ranges(const VectorRanges& ranges);
  void decode(const std::byte* row, float* to) const;

  std::string name_;
  size_t rows_ = 0;
  size_t width_ = 0;
  VectorCoding coding_ = VectorCoding::float32;
  const std::byte* begin_ = nullptr;
  size_t row_bytes_ = 0;
  std::vector<float> starts_;  // [width], for int8 and uint8
  std::vector<float> steps_;   // likewise
  /// Keeps the bytes alive: a mapped file.
  std::shared_ptr<const model::TensorSource> source_;
};

/// The file of ranges for a file of vectors: FILE.ranges.npy.
[[nodiscard]] std::filesystem::path ranges_path(const std::filesystem::path& vectors);

/// Writes that file, float32 [2, width].
/// @throws IoError if it cannot be written
void write_ranges(const VectorRanges& ranges, const std::filesystem::path& vectors);

/// The ranges of vectors in a file, or of a file [2, width] of smallest and largest values, read in pieces.
/// @throws IoError or ConfigError if it is not a file of floats
/// @throws UsageError as summand::ranges_of
[[nodiscard]] VectorRanges read_ranges(const std::filesystem::path& path);
[[nodiscard]] VectorRanges ranges_of(const StoredVectors& vectors);

/// Calls take(rows, index of the first row) for all vectors in order, block by block.
/// @throws TextError naming the first number that is not finite
void for_each_block(const StoredVectors& vectors, const std::function<void(MatrixView<const float>, size_t)>& take);

}  // namespace summand::api
