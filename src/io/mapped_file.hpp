#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "io/file_descriptor.hpp"
#include "model/tensor.hpp"

namespace summand::io {

/// A regular file mapped into memory, read-only, for as long as the object lives. Shared, because every tensor of a
/// checkpoint looks into it and none of them is its first owner.
///
/// A file that another process shortens while it is mapped kills this process (SIGBUS) at the first access beyond the
/// new end; nothing here can prevent that. Writers of checkpoints replace files by rename, which leaves a map intact.
class MappedFile : public model::TensorSource {
 public:
  /// @throws IoError if the path is not a regular file, cannot be read, or is empty
  [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  ~MappedFile() override;

  /// One request for all pages; where the system does not know it, they come one by one as they are read.
  void bring_in(std::span<const std::byte> bytes) const noexcept override;
  /// The pages inside leave this process's memory; the file's contents stay in the system's cache.
  void give_back(std::span<const std::byte> bytes) const noexcept override;
  /// Read, not mapped: a system that keeps the file in large pages would bring in 2 MB for a single byte.
  void copy(std::span<const std::byte> from, std::byte* to) const override;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  MappedFile(std::filesystem::path path, FileDescriptor file, std::span<const std::byte> bytes)
      : path_(std::move(path)), file_(std::move(file)), bytes_(bytes) {}

  std::filesystem::path path_;
  FileDescriptor file_;
  std::span<const std::byte> bytes_;
};

}  // namespace summand::io
