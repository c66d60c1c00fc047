#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "support/one_line.hpp"

/// What libFuzzer and replay.cpp call with the bytes of one input. @return 0
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace summand::fuzz {

/// Ends the process where a property does not hold: that is how a fuzzer learns of it.
inline void expect(bool holds, std::string_view property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(property.size()), property.data());
  std::abort();
}

/// Runs a call that may refuse its input. Only an Error with one line may come out of it.
/// @return whether it ended well
template <class Call>
bool accepts(Call&& call) {
  try {
    call();
    return true;
  } catch (const Error& error) {
    expect(test::is_one_line(error.what()), "an error is one line");
    return false;
  }
}

/// One file of an input that stands for several.
struct Part {
  std::string name;
  std::string_view content;
};

/// Cuts an input at its lines "%% NAME": each begins the file of that name, the last line end before it is not part of
/// the file. What stands before the first one is the file `first`.
inline std::vector<Part> parts_of(std::string_view input, std::string_view first) {
  constexpr std::string_view kMark = "%% ";
  std::vector<Part> parts;
  std::string name(first);
  size_t begin = 0;
  for (size_t line = 0; line != input.npos;) {
    const size_t end = input.find('\n', line);
    if (end != input.npos && input.substr(line).starts_with(kMark)) {
      if (line > 0) parts.push_back({name, input.substr(begin, line - 1 - begin)});
      name = input.substr(line + kMark.size(), end - line - kMark.size());
      begin = end + 1;
    }
    line = end == input.npos ? end : end + 1;
  }
  if (begin <= input.size()) parts.push_back({name, input.substr(begin)});
  return parts;
}

/// A folder in memory where the system has one, empty at first; one for a whole process.
class Folder {
 public:
  Folder() {
    const bool in_memory = std::filesystem::is_directory("/dev/shm");
    std::string pattern =
        (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/summand-fuzz-XXXXXX";
    expect(::mkdtemp(pattern.data()) != nullptr, "there is a folder for files");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Holds exactly the parts whose names are among `known` from now on.
  void fill(const std::vector<Part>& parts, std::span<const std::string_view> known) const {
    for (const std::string_view name : known) std::filesystem::remove(path_ / name);
    for (const Part& part : parts) {
      for (const std::string_view name : known) {
        if (part.name == name) std::ofstream(path_ / name, std::ios::binary) << part.content;
      }
    }
  }

 private:
  std::filesystem::path path_;
};

}  // namespace summand::fuzz
