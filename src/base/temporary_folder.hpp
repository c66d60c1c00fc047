#pragma once

#include <filesystem>
#include <string_view>

namespace summand {

/// A new folder among the system's temporary files, for this user alone, which goes with this object.
class TemporaryFolder {
 public:
  /// @param name  begins the folder's name
  /// @throws IoError if it cannot be made
  explicit TemporaryFolder(std::string_view name);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace summand
