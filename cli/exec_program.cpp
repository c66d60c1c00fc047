#include "cli/exec_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "api/base_names.hpp"

namespace summand::cli {

void exec_program(const std::string& name, std::vector<std::string> arguments, const std::string& missing) {
  const std::string program = (api::program_path().parent_path() / name).string();
  arguments.insert(arguments.begin(), name);
  std::vector<char*> words;
  for (auto& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  if (errno == ENOENT && !missing.empty()) throw api::IoError(program, missing);
  throw api::IoError(program, "cannot be run: " + std::generic_category().message(errno));
}

}  // namespace summand::cli
