#include "base/paths.hpp"

#include <system_error>

#include "base/error.hpp"

namespace summand {

std::string path_text(const std::filesystem::path& path) {
  constexpr size_t kLongest = 4096;  // no longer path can be opened
  return printable(path.native(), kLongest);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code failed;
  const auto type = std::filesystem::status(path, failed).type();
  if (type == std::filesystem::file_type::none) {
    throw IoError(path_text(path), "cannot be read: " + errno_text(failed.value()));
  }
  return type != std::filesystem::file_type::not_found;
}

std::string errno_text(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace summand
