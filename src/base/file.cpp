#include "base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand {

std::string read_file(const std::filesystem::path& path, size_t most) {
  const auto fail = [&path](int error_number) {
    throw IoError(path_text(path), "cannot be read: " + errno_text(error_number));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(errno);
  std::string content;
  std::error_code unknown;  // of a pipe
  const auto size = std::filesystem::file_size(path, unknown);
  if (!unknown) content.reserve(std::min<std::uintmax_t>(size, most) + 1);
  std::array<char, 1 << 16> chunk{};
  size_t got = 0;
  while ((got = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0) {
    content.append(chunk.data(), got);
    if (content.size() > most) {
      throw ConfigError(path_text(path), fmt::format("expected a file of at most {} bytes, got a longer one", most));
    }
  }
  if (std::ferror(file.get())) fail(errno);
  return content;
}

}  // namespace summand
