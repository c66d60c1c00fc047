#include "base/paths.hpp"

#include <system_error>

#include "base/error.hpp"

namespace summand {

std::string path_text(const std::filesystem::path& path) {
  return escaped(path.native());
}

bool is_there(const std::filesystem::path& path) {
  std::error_code failed;
  const auto type = std::filesystem::status(path, failed).type();
  if (type == std::filesystem::file_type::none) {
    throw IoError(path_text(path), "cannot be read: " + reason_of(failed.value()));
  }
  return type != std::filesystem::file_type::not_found;
}

std::string reason_of(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace summand
