#include "cli/become.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "api/error.hpp"

namespace summand::cli {

void become(const std::string& name, std::vector<std::string> arguments, const std::string& missing) {
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string program = (own.parent_path() / name).string();
  arguments.insert(arguments.begin(), name);
  std::vector<char*> words;
  for (auto& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  if (errno == ENOENT && !missing.empty()) throw api::IoError(program, missing);
  throw api::IoError(program, "cannot be run: " + std::generic_category().message(errno));
}

}  // namespace summand::cli
