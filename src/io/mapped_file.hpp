#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

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

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace summand::io
