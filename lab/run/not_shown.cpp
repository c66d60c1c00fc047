#include "lab/run/not_shown.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/paths.hpp"
#include "lab/core/localize.hpp"
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

LocalizedText counted_experiments(size_t count) {
  return localize(count == 1 ? "run.not_shown.one" : "run.not_shown.several", {{"count", count}});
}

LocalizedText how_they_ran(const NotShown& kept) {
  const LocalizedText how = kept.by_other_code() ? localize("run.not_shown.other_code") : kept.options;
  return localize("run.not_shown.group", {{"experiments", counted_experiments(kept.experiments)}, {"how", how}});
}

LocalizedText of_files_words(const fs::path& folder, const NotShown& kept) {
  return localize(kept.experiments == 1 ? "run.not_shown.own_one" : "run.not_shown.own_several",
                  {{"folder", path_text(folder)}, {"experiments", counted_experiments(kept.experiments)}});
}

/// What the program's own experiments ran with, and how they are shown.
LocalizedText of_settings_words(const fs::path& folder, const std::vector<NotShown>& kept) {
  LocalizedText groups;
  for (const auto& group : kept) {
    const LocalizedText one = how_they_ran(group);
    groups = groups.en.empty() ? one : localize("run.not_shown.list", {{"earlier", groups}, {"last", one}});
  }
  const LocalizedText& options = kept.front().options;
  const char* way = kept.front().by_other_code() ? "run.not_shown.run_again"
                    : kept.size() == 1           ? "run.not_shown.shown_all"
                                                 : "run.not_shown.shown_first";
  return localize("run.not_shown.line",
                  {{"folder", path_text(folder)}, {"groups", groups}, {"way", localize(way, {{"options", options}})}});
}

}  // namespace

std::vector<NotShown> not_shown(const Subject& subject, const LaboratoryOptions& options,
                                std::span<const ExperimentResult> reports) {
  const RunSettings asked = settings_of(subject, options);
  std::map<std::string, NotShown> by_options;
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
    const bool is_of_this_build = origin->key == cache_key(*known, subject, origin->settings);
    LocalizedText way = is_of_this_build ? options_towards(origin->settings, asked) : LocalizedText{};
    auto& group = by_options[way.en];
    group.options = std::move(way);
    ++group.experiments;
  }
  std::vector<NotShown> kept;
  for (const auto& [way, group] : by_options) kept.push_back(group);
  std::ranges::stable_sort(kept, std::greater(), &NotShown::experiments);
  if (!of_files.empty()) kept.push_back({.options = {}, .experiments = of_files.size(), .of_a_file = true});
  return kept;
}

LocalizedText not_shown_words(const fs::path& folder, std::span<const NotShown> all) {
  std::vector<NotShown> kept;
  LocalizedText of_files;
  for (const auto& one : all) {
    if (one.of_a_file) {
      of_files = of_files_words(folder, one);
    } else {
      kept.push_back(one);
    }
  }
  if (kept.empty()) return of_files;
  const LocalizedText of_settings = of_settings_words(folder, kept);
  if (of_files.en.empty()) return of_settings;
  return {of_settings.en + "\n" + of_files.en, of_settings.zh + "\n" + of_files.zh};
}

}  // namespace summand::lab
