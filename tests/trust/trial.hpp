#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "trust/damage.hpp"
#include "trust/valid_checkpoints.hpp"

namespace summand::trust {

/// A directory in memory where the system has one.
class TrialDirectory {
 public:
  TrialDirectory();
  TrialDirectory(const TrialDirectory&) = delete;
  TrialDirectory& operator=(const TrialDirectory&) = delete;
  ~TrialDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void fill(const Damaged& damaged);

 private:
  std::filesystem::path path_;
};

struct Outcome {
  std::string message;  ///< of the error, or "" where it loaded
  size_t memory = 0;    ///< most at once, in bytes
  double seconds = 0;
};

[[nodiscard]] size_t size_of(const Files& files);

/// From now on the end of the process, by a signal, a sanitizer or for want of time, says which trial it was in.
void watch();

/// Loads a directory and embeds a text. Anything but success or an Error of ours leaves the test.
[[nodiscard]] Outcome outcome_of(const std::filesystem::path& path);

/// Loads one directory after another and keeps what they had in common, for people.
class Trial {
 public:
  /// Checks that the directory loads or is refused in one line, within its size and 100 MB.
  /// @param what  tells the round apart
  /// @return the refusal, or "" where it loaded
  std::string run(const Damaged& damage, const std::string& what);

  /// Prints what there was, and checks that some loaded and some did not.
  void finish() const;

 private:
  TrialDirectory directory_;
  size_t loaded_ = 0;
  size_t refused_ = 0;
  std::pair<double, std::string> most_memory_{-1e9, ""};  ///< beside the directory's size, in MB
  std::pair<double, std::string> slowest_;
};

}  // namespace summand::trust
