#include "lab/run/not_shown.hpp"
#include "lab/experiments/experiments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/paths.hpp"
#include "lab/run/findings_file.hpp"
#include "lab/run/run_settings.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

namespace fs = std::filesystem;

/// The experiment that a file of findings is named after, unless it is in one of the reports.
const Experiment* experiment_not_shown(const fs::path& file, std::span<const ExperimentResult> reports) {
  const std::string name = file.filename().string();
  const auto found = std::ranges::find(experiments(), name.substr(0, name.find('.')), &Experiment::name);
  if (found == experiments().end() || std::ranges::count(reports, &*found, &ExperimentResult::experiment) > 0)
    return nullptr;
  return &*found;
}

std::string counted_experiments(size_t count) {
  return fmt::format("{} experiment{}", count, count == 1 ? "" : "s");
}

std::string how_they_ran(const NotShown& kept) {
  return fmt::format("{} that ran {}", counted_experiments(kept.experiments),
                     kept.by_other_code() ? "by other code or another compiler" : kept.options);
}

}  // namespace

std::vector<NotShown> not_shown(const Subject& subject, const LaboratoryOptions& options,
                                std::span<const ExperimentResult> reports) {
  const RunSettings asked = settings_of(subject, options);
  std::map<std::string, size_t> counts;
  std::error_code failed;  // a folder that cannot be listed says nothing
  for (const auto& entry : fs::directory_iterator(findings_folder(options.folder), failed)) {
    if (!entry.is_regular_file(failed) || entry.path().extension() != ".cbor") continue;
    const Experiment* experiment = experiment_not_shown(entry.path(), reports);
    if (experiment == nullptr) continue;
    const auto origin = find_origin(entry.path());
    if (!origin) continue;
    const bool is_of_this_build = origin->key == key_of(*experiment, subject, origin->settings);
    ++counts[is_of_this_build ? options_towards(origin->settings, asked) : ""];
  }
  std::vector<NotShown> kept;
  for (const auto& [how, count] : counts) kept.push_back({.options = how, .experiments = count});
  std::ranges::stable_sort(kept, std::greater(), &NotShown::experiments);
  return kept;
}

std::string not_shown_text(const fs::path& folder, std::span<const NotShown> kept) {
  if (kept.empty()) return "";
  std::vector<std::string> groups;
  for (const auto& group : kept) groups.push_back(how_they_ran(group));
  const std::string& options = kept.front().options;
  const std::string way =
      options.empty()
          ? "the same command without --only runs them again, and the report that has them is index.earlier.html"
          : fmt::format("the same command {} shows {} instead of these, which stay there", options,
                        kept.size() == 1 ? "them" : "the first of them");
  return fmt::format("[{}] kept there but not shown, as a report has one setting: {}; {}", path_text(folder),
                     fmt::join(groups, ", "), way);
}

}  // namespace summand::lab
