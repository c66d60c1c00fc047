#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "api/error.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

namespace {

/// Becomes a program that lies beside this one.
/// @throws IoError if it is not there
[[noreturn]] void become(const std::string& name, std::vector<std::string> arguments) {
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string program = (own.parent_path() / name).string();
  arguments.insert(arguments.begin(), name);
  std::vector<char*> words;
  for (auto& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw api::IoError(program, "cannot be run: " + std::generic_category().message(errno));
}

}  // namespace

void add_lab(CLI::App& program) {
  auto* verb = program.add_subcommand("lab", "Take a checkpoint apart: every claim about the sum, beside a null");
  verb->prefix_command();
  verb->set_help_flag();  // summand-lab has its own
  verb->callback([verb] { become("summand-lab", verb->remaining()); });
}

}  // namespace summand::cli
