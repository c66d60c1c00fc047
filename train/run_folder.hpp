#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/folder_lock.hpp"
#include "model/config.hpp"
#include "train/checkpoint_files.hpp"
#include "train/metrics.hpp"
#include "train/trainer.hpp"

namespace summand::train {

/// All that a run needs to go on, beside the parameters.
struct RunState {
  Progress progress;
  Interval interval;                                           ///< since the last line of metrics
  double best_loss = std::numeric_limits<double>::infinity();  ///< of all validations
  int64_t best_step = 0;
  int64_t without_gain = 0;  ///< validations since then
  uint64_t metrics_bytes = 0;
  double seconds = 0;  ///< of training, all that were spent
};

/// A run's folder: run.json, metrics.jsonl, checkpoints/step-NNNNNNNN, and `last` and `best`, links to two of them. A
/// checkpoint appears whole, by rename, and then the link to it, by another: whenever the run is killed, `last` is a
/// whole checkpoint.
class RunFolder {
 public:
  /// Makes the folder, or takes one that is there, for itself alone.
  /// @param description  run.json: what decides the run's numbers, as an object of objects
  /// @param resume  whether a run that is there goes on; else the folder has to be empty
  /// @throws UsageError if it holds a run and is not to go on, or one with other options: naming the first that
  ///   differs; a run without a checkpoint begins anew
  /// @throws CheckpointError if `last` is no link, or one to what is not there, or a file of its checkpoint is damaged
  /// @throws IoError if it cannot be written, or another run has it
  RunFolder(std::filesystem::path folder, const std::string& description, bool resume);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

  /// What is not as it was when a run that goes on began, one line each: threads, for example, which may change bits.
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }

  /// Where the run goes on; nothing where it begins.
  struct Saved {
    RunState state;
    model::Weights weights, optimiser;
  };
  /// @throws CheckpointError if the last checkpoint is damaged
  [[nodiscard]] std::optional<Saved> last() const;

  struct Keep {
    bool best = false;     ///< it is the best one so far
    bool forever = false;  ///< it stays when later ones are there
  };
  /// Saves a run as it is, and lets go of what nothing leads to any more.
  void save(const RunState& state, const model::Config& config, const model::Weights& weights,
            const model::Weights& optimiser, const TokenizerContents& tokenizer, Keep keep);

  /// Writes failure.json, for `summand runs`: it goes when the run goes on.
  void note_failure(int64_t step, const std::string& error) const;

 private:
  [[nodiscard]] std::filesystem::path checkpoint(int64_t step) const;
  [[nodiscard]] std::string target_of(const char* link) const;
  void point(const char* link, int64_t step) const;
  void require_link() const;
  void repair() const;
  void remove_unreferenced() const;

  std::filesystem::path folder_;
  std::unique_ptr<io::FolderLock> lock_;
  std::vector<std::string> changes_;
};

}  // namespace summand::train
