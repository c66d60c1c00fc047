#include "train/finetune/remove_run.hpp"

#include <system_error>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/folder_lock.hpp"

namespace summand::train {

void remove_run(const std::filesystem::path& folder) {
  if (!is_there(folder / "run.json")) return;
  const io::FolderLock lock(folder);
  for (const auto* name : {"last", "best", "checkpoints", "metrics.jsonl", "metrics.json", "predictions.jsonl",
                           "index.html", "curves.svg", "failure.json"}) {
    std::error_code failed;
    std::filesystem::remove_all(folder / name, failed);
    if (failed) throw IoError(path_text(folder / name), "cannot be removed: " + failed.message());
  }
}

}  // namespace summand::train
