#include "train/run/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "io/file_descriptor.hpp"
#include "io/output_directory.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_writer.hpp"
#include "train/run/checksums.hpp"
#include "train/run/run_description.hpp"
#include "train/run/whole_file.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kRun = "run.json";
constexpr const char* kFailure = "failure.json";
constexpr const char* kState = "state.json";
constexpr const char* kKept = "kept";  // an empty file: this checkpoint stays

/// Of a checkpoint's name. A step that no run has is the largest: what bears it is never gone on with.
int64_t parse_step(std::string_view name) {
  int64_t step = 0;
  const std::string_view digits = name.substr(name.find('-') + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  return error == std::errc() ? step : std::numeric_limits<int64_t>::max();
}

RunState state_in(const fs::path& checkpoint) {
  return run_state(read_json_text(checkpoint / kState, kLongestState), path_text(checkpoint / kState));
}

model::Weights optimiser_in(const fs::path& checkpoint) {
  model::Weights state;
  for (const auto& [name, tensor] : io::read_safetensors(checkpoint / "optimizer.safetensors").tensors) {
    state.set(name, tensor);
  }
  return state;
}

}  // namespace

bool is_run_folder(const fs::path& folder) {
  try {
    const Json run = read_json(folder / kRun);
    return run.is_object() && run.contains("options") && run.contains("about");
  } catch (const Error&) {
    return false;
  }
}

bool is_checkpoint_name(std::string_view name) {
  constexpr std::string_view kBefore = "step-";
  if (!name.starts_with(kBefore) || name.size() == kBefore.size()) return false;
  return name.find_first_not_of("0123456789", kBefore.size()) == std::string_view::npos;
}

RunFolder::RunFolder(fs::path folder, const std::string& description, bool resume) : folder_(std::move(folder)) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw IoError(path_text(folder_), "cannot be made: " + failed.message());
  lock_ = std::make_unique<io::FolderLock>(folder_);
  fs::remove(folder_ / (std::string(kRun) + ".part"), failed);  // of a run that was killed as it began
  const bool has_run = is_run_folder(folder_);
  if (!has_run && !fs::is_empty(folder_)) {
    throw UsageError(path_text(folder_), "expected a folder that is new, empty or a run's, got one with other files");
  }
  require_link();
  // Without a checkpoint it has nothing to go on from, whatever stopped it: it begins anew, as it is asked for now.
  const bool has_begun = has_run && !link_target("last").empty();
  if (has_run && !has_begun && fs::exists(folder_ / "index.html")) {
    throw UsageError(path_text(folder_), "expected its run's checkpoints, got none; a new run wants a new folder");
  }
  if (has_begun && !resume) {
    throw UsageError(path_text(folder_), "expected a new folder, got a run's: --resume goes on with it");
  }
  if (has_begun) {
    const Json began = read_json(folder_ / kRun);
    const Json now = Json::parse(description);
    const std::string differs = difference_from_beginning(began, now);
    if (!differs.empty()) throw UsageError(path_text(folder_ / kRun), differs);
    changes_ = changes_between(began, now);
    if (!verify_checksums(folder_ / "last")) {
      changes_.push_back(
          fmt::format("{}: an older summand wrote this checkpoint without {}; damage would not be noticed",
                      path_text(folder_ / "last"), kChecksums));
    }
    repair();
    fs::remove(folder_ / kFailure, failed);
    return;
  }
  fs::remove(folder_ / kFailure, failed);
  write_whole(folder_ / kRun, OrderedJson::parse(description).dump(1) + "\n");
}

/// `last` tells finished checkpoints from unfinished ones. If a kill came before the link to the first checkpoint,
/// links to the newest complete one and removes nothing.
/// @throws CheckpointError if it is not a link, or dangles
void RunFolder::require_link() const {
  const fs::path last = folder_ / "last";
  std::error_code none;
  std::string newest;
  for (const auto& entry : fs::directory_iterator(folder_ / "checkpoints", none)) {
    const std::string name = entry.path().filename().string();
    if (!is_checkpoint_name(name) || !fs::exists(entry.path() / kState)) continue;
    if (newest.empty() || parse_step(name) > parse_step(newest)) newest = name;
  }
  const bool is_there = fs::exists(fs::symlink_status(last, none));
  if (!is_there && !newest.empty()) point("last", parse_step(newest));
  if (!is_there || (!link_target("last").empty() && fs::exists(last / kState, none))) return;
  throw CheckpointError(path_text(last),
                        fmt::format("expected a link to the last checkpoint, got {}; the newest that is whole is {}",
                                    link_target("last").empty() ? "none" : "a dangling one",
                                    newest.empty() ? "none" : "checkpoints/" + newest));
}

/// A kill may come between a checkpoint and its links: checkpoints after `last` are written again, and if `last` was
/// the best one, `best` leads there.
void RunFolder::repair() const {
  const std::string last = link_target("last");
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_ / "checkpoints", none)) {
    const std::string name = entry.path().filename().string();
    std::error_code failed;  // it wastes space; the next save tries again
    const bool unfinished = name.ends_with(".part");
    if (unfinished || (is_checkpoint_name(name) && parse_step(name) > parse_step(last)))
      fs::remove_all(entry.path(), failed);
  }
  remove_unreferenced();
  if (last.empty()) return;
  const RunState state = state_in(folder_ / "last");
  if (state.best_step == state.progress.step) point("best", state.best_step);
}

std::optional<RunFolder::Saved> RunFolder::last() const {
  if (link_target("last").empty()) return std::nullopt;
  const fs::path path = folder_ / "last";
  return Saved{.state = state_in(path), .weights = checkpoint_weights(path), .optimiser = optimiser_in(path)};
}

model::Weights RunFolder::best_weights() const {
  return checkpoint_weights(folder_ / "best");
}

void RunFolder::save(const RunState& state, const model::Config& config, const model::Weights& weights,
                     const model::Weights& optimiser, const TokenizerContents& tokenizer, Keep keep) {
  const int64_t step = state.progress.step;
  std::error_code failed;
  fs::create_directories(folder_ / "checkpoints", failed);
  if (failed) throw IoError(path_text(folder_ / "checkpoints"), "cannot be made: " + failed.message());
  if (!fs::exists(checkpoint(step))) {
    io::OutputDirectory directory(checkpoint(step));
    write_checkpoint_files(directory.path(), config, weights, tokenizer);
    io::write_safetensors(directory.path() / "optimizer.safetensors", optimiser);
    write_whole(directory.path() / kState, to_json(state));
    write_checksums(directory.path());
    if (keep.forever) write_whole(directory.path() / kKept, "");
    directory.commit();
  }
  point("last", step);
  if (keep.best) point("best", step);
  remove_unreferenced();
}

void RunFolder::note_failure(int64_t step, const std::string& error) const {
  write_whole(folder_ / kFailure, OrderedJson{{"step", step}, {"error", error}}.dump(1) + "\n");
}

fs::path RunFolder::checkpoint(int64_t step) const {
  return folder_ / "checkpoints" / fmt::format("step-{:08}", step);
}

std::string RunFolder::link_target(const char* link) const {
  std::error_code none;
  const auto target = fs::read_symlink(folder_ / link, none);
  return none ? "" : target.filename().string();
}

void RunFolder::point(const char* link, int64_t step) const {
  const fs::path target = fs::path("checkpoints") / checkpoint(step).filename();
  const fs::path made = folder_ / fmt::format("{}.part", link);
  std::error_code failed;
  fs::remove(made, failed);
  fs::create_symlink(target, made, failed);
  if (!failed) fs::rename(made, folder_ / link, failed);
  if (failed) throw IoError(path_text(folder_ / link), "cannot be written: " + failed.message());
  // Before its old target is removed.
  const io::FileDescriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) static_cast<void>(::fsync(folder.number()));
}

void RunFolder::remove_unreferenced() const {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_ / "checkpoints", none)) {
    const std::string name = entry.path().filename().string();
    if (!is_checkpoint_name(name)) continue;  // not ours
    if (name == link_target("last") || name == link_target("best") || fs::exists(entry.path() / kKept)) continue;
    std::error_code failed;  // it wastes space; the next save tries again
    fs::remove_all(entry.path(), failed);
  }
}

}  // namespace summand::train
