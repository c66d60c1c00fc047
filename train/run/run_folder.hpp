#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/folder_lock.hpp"
#include "model/config.hpp"
#include "train/run/checkpoint_files.hpp"
#include "train/run/run_state.hpp"

namespace summand::train {

/// Whether a folder has the run.json of a run; one that summand did not write is none.
[[nodiscard]] bool is_run_folder(const std::filesystem::path& folder);
/// step-NNNNNNNN
[[nodiscard]] bool is_checkpoint_name(std::string_view name);

/// A run's folder: run.json, metrics.jsonl, checkpoints/step-NNNNNNNN, and the links `last` and `best` to two of these.
/// A rename publishes a checkpoint, another its link: whenever the run is killed, `last` is a complete checkpoint.
class RunFolder {
 public:
  /// Creates the folder, or opens an existing one, and locks it.
  /// @param description  run.json: everything that determines the run's numbers, as an object of objects
  /// @param resume  continue an existing run; else the folder must be empty
  /// @throws UsageError if it holds a run and `resume` is false, or a run with other options, naming the first that
  ///   differs; a run that never had a checkpoint starts over
  /// @throws CheckpointError if `last` is not a link, or dangles, or a file of its checkpoint is damaged
  /// @throws IoError if it cannot be written, or another run has locked it
  RunFolder(std::filesystem::path folder, const std::string& description, bool resume);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

  /// Differences from the resumed run, one line each: threads, for example, which may change bits.
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }

  /// The state to resume from; nothing for a new run.
  struct Saved {
    RunState state;
    model::Weights weights, optimiser;
  };
  /// @throws CheckpointError if the last checkpoint is damaged
  [[nodiscard]] std::optional<Saved> last() const;

  /// Of the best checkpoint so far. @throws CheckpointError if it is damaged
  [[nodiscard]] model::Weights best_weights() const;

  struct Keep {
    bool best = false;     ///< the best so far
    bool forever = false;  ///< keep it when later ones exist
  };
  /// Saves a checkpoint and deletes those that are no longer needed.
  void save(const RunState& state, const model::Config& config, const model::Weights& weights,
            const model::Weights& optimiser, const TokenizerContents& tokenizer, Keep keep);

  /// Writes failure.json, for `summand runs`; resuming the run deletes it.
  void note_failure(int64_t step, const std::string& error) const;

 private:
  [[nodiscard]] std::filesystem::path checkpoint(int64_t step) const;
  [[nodiscard]] std::string link_target(const char* link) const;
  void point(const char* link, int64_t step) const;
  void require_link() const;
  void repair() const;
  void remove_unreferenced() const;

  std::filesystem::path folder_;
  std::unique_ptr<io::FolderLock> lock_;
  std::vector<std::string> changes_;
};

}  // namespace summand::train
