#include "lab/report/whole_file.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/error.hpp"
#include "io/output_file.hpp"

namespace summand::lab {

void write_whole(const std::filesystem::path& path, std::string_view text) {
  const auto folder = path.parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw IoError(folder.string(), fmt::format("cannot make the folder: {}", error.message()));
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace summand::lab
