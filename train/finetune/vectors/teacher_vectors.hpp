#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "io/npy_reader.hpp"

namespace summand::train {

/// A teacher's vectors, one for each row of a file, in a mapped .npy.
class TeacherVectors {
 public:
  /// @param rows  of the file of texts, named `of`
  /// @throws IoError, ConfigError as io::map_npy(); ConfigError if it has another number of rows, no columns, or a
  ///   number that is not finite
  TeacherVectors(const std::filesystem::path& path, size_t rows, const std::string& of);

  [[nodiscard]] size_t width() const { return file_.columns; }
  /// Of every number, for run.json.
  [[nodiscard]] const std::string& hash() const { return hash_; }
  /// [chosen, width], in single precision.
  [[nodiscard]] at::Tensor rows(std::span<const size_t> chosen) const;

 private:
  io::NpyRows file_;
  std::string hash_;
};

}  // namespace summand::train
