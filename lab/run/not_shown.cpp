#include "lab/run/not_shown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/paths.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/run/findings_file.hpp"
#include "lab/run/run_settings.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

namespace fs = std::filesystem;

/// The experiment that a file of findings is of, by its name.
std::string experiment_of(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.'));
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
  std::set<std::string> of_files;
  std::error_code failed;  // a folder that cannot be listed says nothing
  for (const auto& entry : fs::directory_iterator(findings_folder(options.folder), failed)) {
    if (!entry.is_regular_file(failed) || entry.path().extension() != ".cbor") continue;
    const std::string name = experiment_of(entry.path());
    if (std::ranges::any_of(reports, [&](const ExperimentResult& shown) { return shown.experiment->name == name; })) {
      continue;
    }
    const auto origin = find_origin(entry.path());
    if (!origin) continue;
    const auto known = std::ranges::find(experiments(), name, &Experiment::name);
    if (known == experiments().end()) {
      of_files.insert(name);
      continue;
    }
    const bool is_of_this_build = origin->key == key_of(*known, subject, origin->settings);
    ++counts[is_of_this_build ? options_towards(origin->settings, asked) : ""];
  }
  std::vector<NotShown> kept;
  for (const auto& [how, count] : counts) kept.push_back({.options = how, .experiments = count});
  std::ranges::stable_sort(kept, std::greater(), &NotShown::experiments);
  if (!of_files.empty()) kept.push_back({.options = {}, .experiments = of_files.size(), .of_a_file = true});
  return kept;
}

std::string not_shown_text(const fs::path& folder, std::span<const NotShown> all) {
  std::string of_files;
  std::vector<NotShown> kept;
  for (const auto& one : all) {
    if (one.of_a_file) {
      of_files =
          fmt::format("[{}] kept there but not shown: {} of your own; --experiment FILE shows {} again",
                      path_text(folder), counted_experiments(one.experiments), one.experiments == 1 ? "it" : "them");
    } else {
      kept.push_back(one);
    }
  }
  if (kept.empty()) return of_files;
  std::vector<std::string> groups;
  for (const auto& group : kept) groups.push_back(how_they_ran(group));
  const std::string& options = kept.front().options;
  const std::string way =
      options.empty()
          ? "the same command without --only runs them again, and the report that has them is index.earlier.html"
          : fmt::format("the same command {} shows {} instead of these, which stay there", options,
                        kept.size() == 1 ? "them" : "the first of them");
  const std::string otherwise = fmt::format("[{}] kept there but not shown, as a report has one setting: {}; {}",
                                            path_text(folder), fmt::join(groups, ", "), way);
  return of_files.empty() ? otherwise : otherwise + "\n" + of_files;
}

}  // namespace summand::lab
