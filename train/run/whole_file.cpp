#include "train/run/whole_file.hpp"

#include "io/output_file.hpp"

namespace summand::train {

void write_whole(const std::filesystem::path& path, std::string_view content) {
  io::OutputFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace summand::train
