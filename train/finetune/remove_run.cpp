#include "train/finetune/remove_run.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/folder_lock.hpp"
#include "train/run/run_folder.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

/// The links, and the checkpoints, finished or not.
std::vector<fs::path> checkpoints_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const char* link : {"last", "best"}) {
    if (fs::is_symlink(folder / link, none)) found.push_back(folder / link);
  }
  for (const auto& entry : fs::directory_iterator(folder / "checkpoints", none)) {
    const std::string name = entry.path().filename().string();
    if (is_checkpoint_name(name) || name.ends_with(".part")) found.push_back(entry.path());
  }
  return found;
}

}  // namespace

void remove_run(const fs::path& folder) {
  if (!is_run_folder(folder)) return;
  const io::FolderLock lock(folder);
  std::vector<fs::path> files = checkpoints_of(folder);
  for (const auto* name :
       {"metrics.jsonl", "metrics.json", "predictions.jsonl", "index.html", "curves.svg", "failure.json"}) {
    files.push_back(folder / name);
  }
  for (const fs::path& file : files) {
    std::error_code failed;
    fs::remove_all(file, failed);
    if (failed) throw IoError(path_text(file), "cannot be removed: " + failed.message());
  }
}

bool lies_in_run(const fs::path& path, const fs::path& folder) {
  std::error_code none;
  const fs::path inner = fs::weakly_canonical(path, none), outer = fs::weakly_canonical(folder, none);
  const auto [end, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return is_run_folder(folder) && end == outer.end();
}

}  // namespace summand::train
