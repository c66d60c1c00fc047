#include "text/file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace summand::text {

std::string read_file(const std::filesystem::path& path) {
  const auto refuse = [&path](int reason) {
    throw IoError(path.string(), fmt::format("expected a readable file: {}", std::strerror(reason)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) refuse(errno);
  std::string content;
  std::array<char, 1 << 16> chunk{};
  size_t got = 0;
  while ((got = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0) content.append(chunk.data(), got);
  if (std::ferror(file.get())) refuse(errno);
  return content;
}

}  // namespace summand::text
