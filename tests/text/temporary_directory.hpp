#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace summand::text {

/// A directory of its own for one test; removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory()
      : path_(std::filesystem::temp_directory_path() /
              ("summand_text_" + std::to_string(getpid()) + "_" + std::to_string(next_number()))) {
    std::filesystem::create_directories(path_);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  /// Writes a file and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static int next_number() {
    static std::atomic<int> number = 0;
    return number++;
  }

  std::filesystem::path path_;
};

}  // namespace summand::text
