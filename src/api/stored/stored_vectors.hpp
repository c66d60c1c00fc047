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

/// What the numbers of stored vectors are.
enum class VectorCoding { float16, float32, float64, int8, uint8, binary, ubinary };

/// Sentence vectors in memory or in a mapped file, of any type, read as floats: float16 exactly, float64 rounded, int8
/// and uint8 as the lower ends of their steps (as sentence-transformers reads them back), bits as +1 and -1.
///
/// Thread-safety: const members may be called from several threads at once.
class StoredVectors {
 public:
  /// @param vectors  outlive this object
  /// @param name  what messages call them
  StoredVectors(MatrixView<const float> vectors, std::string name);

  /// How a file's numbers are to be understood.
  struct Interpretation {
    /// Coordinates of a vector, where they are known: without it a file's bytes are int8 or uint8, never bits.
    std::optional<size_t> width = {};
    /// Of int8 and uint8; none: those in FILE.ranges.npy.
    std::optional<VectorRanges> ranges = {};
  };
  /// Maps a NumPy file.
  /// @throws IoError, ConfigError if it is none; ConfigError too if its vectors have another width, or if ranges are
  ///   needed that are not given, not there, or of another width
  [[nodiscard]] static StoredVectors open(const std::filesystem::path& path, const Interpretation& interpretation);
  /// Maps a NumPy file of floats, of any width.
  /// @throws IoError, ConfigError if it is none
  [[nodiscard]] static StoredVectors open_floats(const std::filesystem::path& path);

  [[nodiscard]] size_t rows() const { return rows_; }
  [[nodiscard]] size_t width() const { return width_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] VectorCoding coding() const { return coding_; }

  /// Rows [begin, begin + count).
  /// @param scratch  where they are written, if they do not lie there as floats
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
  std::vector<float> starts_;  // [width] of int8 and uint8
  std::vector<float> steps_;   // likewise
  /// Keeps the bytes alive: a mapped file.
  std::shared_ptr<const model::TensorSource> source_;
};

/// The file that holds the ranges of a file of vectors: FILE.ranges.npy.
[[nodiscard]] std::filesystem::path ranges_path(const std::filesystem::path& vectors);

/// Writes that file, float32 [2, width].
/// @throws IoError if it cannot be written
void write_ranges(const VectorRanges& ranges, const std::filesystem::path& vectors);

/// The ranges of vectors in a file, or of a file [2, width] of smallest and largest values, read in pieces.
/// @throws IoError or ConfigError if it is no file of floats, UsageError as summand::ranges_of
[[nodiscard]] VectorRanges read_ranges(const std::filesystem::path& path);
[[nodiscard]] VectorRanges ranges_of(const StoredVectors& vectors);

/// Calls take(rows, index of the first) for all vectors in order, some at a time.
/// @throws TextError naming the first number that is not finite
void for_each_block(const StoredVectors& vectors, const std::function<void(MatrixView<const float>, size_t)>& take);

}  // namespace summand::api
