#include "base/paths.hpp"

#include <string_view>
#include <system_error>

#include "base/error.hpp"

namespace summand {

std::string path_text(const std::filesystem::path& path) {
  constexpr size_t kUncut = 100;  // printable() cuts longer texts
  const std::string& native = path.native();
  std::string text;
  for (size_t begin = 0; begin < native.size(); begin += kUncut) {
    text += printable(std::string_view(native).substr(begin, kUncut));
  }
  return text;
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
