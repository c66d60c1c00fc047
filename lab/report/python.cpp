#include "lab/report/python.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "io/file_descriptor.hpp"

extern char** environ;

namespace summand::lab {
namespace {

constexpr const char* kPythonFile = "summand-lab.python";  // report/CMakeLists.txt writes it; it is not installed

// An unnamed file: unlike a pipe it takes any number of bytes before somebody reads.
io::FileDescriptor temporary_file(std::string_view text) {
  std::string name = (std::filesystem::temp_directory_path() / "summand-XXXXXX").string();
  io::FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) throw IoError(name, std::strerror(errno));
  ::unlink(name.c_str());
  while (!text.empty()) {
    const auto written = ::write(file.number(), text.data(), text.size());
    if (written < 0) throw IoError(name, std::strerror(errno));
    text.remove_prefix(static_cast<size_t>(written));
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::string last_line(const io::FileDescriptor& file) {
  std::string text;
  std::array<char, 4096> block{};
  ::lseek(file.number(), 0, SEEK_SET);
  for (ssize_t bytes = 0; (bytes = ::read(file.number(), block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<size_t>(bytes));
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

}  // namespace

std::string python_path() {
  const char* set = std::getenv("SUMMAND_PYTHON");
  if (set != nullptr && *set != '\0') return set;
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  std::string path;
  std::getline(std::ifstream(own.parent_path() / kPythonFile) >> std::ws, path);
  return path.empty() ? "python3" : path;
}

void run_python(std::string_view script, std::string_view input) {
  std::string python = python_path();
  std::string text(script);
  std::string isolated = "-I";  // takes no module from the folder where it runs
  std::string option = "-c";
  const auto in = temporary_file(input);
  const auto errors = temporary_file("");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.number(), STDERR_FILENO);
  const std::array<char*, 5> arguments{python.data(), isolated.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, python.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  constexpr auto kAdvice = "figures are drawn by a Python with vl-convert-python; set SUMMAND_PYTHON to one";
  if (failed != 0) throw IoError(python, fmt::format("{}: {}", kAdvice, std::strerror(failed)));
  if (wait_for(child) != 0) throw IoError(python, fmt::format("{}: {}", kAdvice, last_line(errors)));
}

}  // namespace summand::lab
