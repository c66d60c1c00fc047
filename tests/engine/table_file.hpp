#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "io/mapped_file.hpp"
#include "model/tensor.hpp"

namespace summand::test {

/// A file of floats that a tensor looks into.
class TableFile {
 public:
  explicit TableFile(const model::Tensor& tensor) : values_(model::to_floats(tensor)) {
    path_ = std::filesystem::temp_directory_path() / ("summand_table_" + std::to_string(::getpid()));
    write();
    map_ = io::MappedFile::open(path_);
    tensor_ = {model::DType::f32, tensor.shape, map_->bytes(), map_};
  }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  ~TableFile() { std::filesystem::remove(path_); }

  [[nodiscard]] const model::Tensor& tensor() const { return tensor_; }
  void shorten() const { std::filesystem::resize_file(path_, 100); }
  /// The same file, with the same content.
  void write() const {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(values_.data()),
               static_cast<std::streamsize>(values_.size() * sizeof(float)));
  }

 private:
  std::vector<float> values_;
  std::filesystem::path path_;
  std::shared_ptr<const io::MappedFile> map_;
  model::Tensor tensor_;
};

}  // namespace summand::test
