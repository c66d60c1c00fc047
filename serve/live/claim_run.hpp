#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace summand::serve::live {

/// What the laboratory is to look at.
struct ClaimRunRequest {
  std::string model;                   ///< a directory or a name, as summand-lab takes it
  std::string name;                    ///< for people, and title of the report
  std::vector<std::string> only = {};  ///< names of experiments, or ids of claims; none: all
};

/// A quick run of the laboratory in a process of its own, whose verdicts are read as they are found. One at a time; the
/// next one takes its place.
///
/// Thread-safety: members may be called from several threads at once.
class ClaimRun {
 public:
  /// @param program  summand-lab
  /// @param folder   where reports go, each in a folder of its own; made when needed
  ClaimRun(std::filesystem::path program, std::filesystem::path folder);
  ClaimRun(const ClaimRun&) = delete;
  ClaimRun& operator=(const ClaimRun&) = delete;
  /// Ends the run that goes on.
  ~ClaimRun();

  /// @throws UsageError if one goes on, or a word is no name; IoError if the program or the folder cannot be used
  void start(const ClaimRunRequest& request);
  /// Asks the run that goes on to end; its state is "cancelled" when it has. Finished experiments are kept for the next
  /// run of the same model.
  void cancel();

  /// A JSON object: "state" ("idle", "running", "finished", "failed", "cancelled"), "model", how far it has come
  /// ("share", "ended", "count", "under_way", "titles"), "verdicts" from number `after` on, "next", the number behind
  /// the last one, "answer", the short answer to whether adding loses anything or null, and "error", the one line of a
  /// failed run or null.
  [[nodiscard]] std::string state(size_t after = 0) const;
  /// The folder of the report of the last run, if that has finished.
  [[nodiscard]] std::optional<std::filesystem::path> report() const;

 private:
  struct Process;
  std::filesystem::path program_;
  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::unique_ptr<Process> process_;
};

}  // namespace summand::serve::live
