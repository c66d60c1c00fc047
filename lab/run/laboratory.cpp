#include "lab/run/laboratory.hpp"
#include "lab/experiments/experiments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/nearest_name.hpp"
#include "base/paths.hpp"
#include "io/output_file.hpp"
#include "lab/calibration/calibration.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/results/in_short.hpp"
#include "lab/run/findings_file.hpp"
#include "lab/run/run_settings.hpp"
#include "lab/run/side_by_side.hpp"
#include "lab/subject/beyond_claims.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRunFile = "run.json";
constexpr size_t kLanes = 2;  // experiments at a time: most have parts that one thread does alone

/// The same gap in each of its claims; a remark, where it has none.
Findings all_gaps(const Experiment& experiment, const LocalizedText& why) {
  Findings findings;
  for (const auto& rule : experiment.rules) findings.gaps[rule.claim] = why;
  if (experiment.rules.empty()) findings.remarks.push_back(why);
  return findings;
}

KeptFindings found(const std::function<Findings()>& find) {
  const auto start = std::chrono::steady_clock::now();
  KeptFindings kept;
  kept.findings = find();
  kept.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return kept;
}

std::string hexadecimal(uint64_t number) {
  return fmt::format("{:016x}", number);
}

}  // namespace

Findings findings_of(const Experiment& experiment, const Subject& subject, const Conditions& conditions) {
  if (const auto why = beyond_claims(subject)) return all_gaps(experiment, *why);
  if (experiment.needs_positions && subject.positions.rows() == 0) {
    return all_gaps(experiment, no_position_table());
  }
  try {
    return experiment.run(subject, conditions);
  } catch (const Error& error) {
    return all_gaps(experiment, {fmt::format("cannot be computed here: {}", error.what()),
                                 fmt::format("此处无法计算：{}", error.what())});
  }
}

std::map<std::string, Verdict> verdicts_of(const Experiment& experiment, const Findings& findings) {
  std::map<std::string, Verdict> verdicts;
  for (const auto& rule : experiment.rules) {
    if (const auto gap = findings.gaps.find(rule.claim); gap != findings.gaps.end()) {
      verdicts[rule.claim] = {Observation::not_measured, Inference::not_tested, gap->second};
    } else {
      verdicts[rule.claim] = rule.judge(findings.numbers.at(rule.claim));
    }
  }
  return verdicts;
}

io::FolderLock open_folder(const fs::path& folder, const Subject& subject) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !fs::is_directory(folder, failed)) {
    throw UsageError(path_text(folder), "expected a folder for the report, got a file");
  }
  fs::create_directories(folder, failed);
  if (failed) throw IoError(path_text(folder), "cannot be made: " + failed.message());
  io::FolderLock lock(folder);
  const fs::path run_file = folder / kRunFile;
  if (is_there(run_file)) {
    const auto run = read_json_object(run_file);
    const auto hash = run->string("checkpoint_hash");
    if (run->string("program") != "summand lab" || !hash) {
      throw UsageError(path_text(folder), fmt::format("expected an empty folder, or one of an earlier run; its {} is "
                                                      "not of this program",
                                                      kRunFile));
    }
    if (*hash != hexadecimal(subject.hash)) {
      throw UsageError(path_text(folder),
                       fmt::format("expected an empty folder, or one of an earlier run on this checkpoint ({}); it is "
                                   "of {}",
                                   hexadecimal(subject.hash), printable(*hash)));
    }
  } else if (!fs::is_empty(folder, failed)) {
    throw UsageError(path_text(folder), "expected an empty folder, or one of an earlier run; it holds other files");
  } else {
    const Json run{
        {"program", "summand lab"}, {"checkpoint", subject.name}, {"checkpoint_hash", hexadecimal(subject.hash)}};
    io::OutputFile out(run_file);
    out.write(run.dump(2) + "\n");
    out.commit();
  }
  fs::create_directories(findings_folder(folder), failed);
  if (failed) throw IoError(path_text(findings_folder(folder)), "cannot be made: " + failed.message());
  return lock;
}

namespace {

/// The experiment of this name, or that judges the claim of this id; null where there is none.
const Experiment* named(const std::string& word) {
  for (const auto& experiment : experiments()) {
    if (experiment.name == word) return &experiment;
    if (std::ranges::find(experiment.rules, word, &Rule::claim) != experiment.rules.end()) return &experiment;
  }
  return nullptr;
}

/// In the ledger's order, those that an experiment judges.
std::vector<std::string> measured_claims() {
  std::vector<std::string> ids;
  for (const auto& claim : ledger()) {
    if (named(claim.id) != nullptr) ids.push_back(claim.id);
  }
  return ids;
}

/// Behind a word that names nothing: the name most like it; of what looks like an id, those that there are.
std::string what_there_is(const std::string& word) {
  if (std::ranges::find(ledger(), word, &Claim::id) != ledger().end()) {
    return ", a claim that no experiment judges: it needs models trained for it";
  }
  const auto ids = measured_claims();
  std::vector<std::string> names;
  for (const auto& experiment : experiments()) names.push_back(experiment.name);
  names.insert(names.end(), ids.begin(), ids.end());
  const bool has_digit = std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
  return did_you_mean(word, names) + (has_digit ? fmt::format("; claims are {}", fmt::join(ids, " ")) : "");
}

}  // namespace

std::vector<const Experiment*> chosen(const std::vector<std::string>& only) {
  std::set<const Experiment*> asked;
  for (const auto& word : only) {
    const Experiment* experiment = named(word);
    if (experiment == nullptr) {
      throw UsageError("--only",
                       fmt::format("expected names of experiments or ids of claims, see 'summand lab list'; got '{}'{}",
                                   printable(word), what_there_is(word)));
    }
    asked.insert(experiment);
  }
  std::vector<const Experiment*> list;
  for (const auto& experiment : experiments()) {
    if (only.empty() || asked.contains(&experiment)) list.push_back(&experiment);
  }
  return list;
}

std::vector<own::OwnExperiment> read_own_experiments(const std::vector<std::string>& files) {
  std::vector<own::OwnExperiment> list;
  for (const auto& file : files) {
    auto own = own::read_own_experiment(file);
    const auto has_name = [&](const own::OwnExperiment& other) { return other.setup.name == own.setup.name; };
    if (std::ranges::count(experiments(), own.setup.name, &Experiment::name) > 0 ||
        std::ranges::any_of(list, has_name)) {
      throw ConfigError(own.setup.where,
                        fmt::format("name: expected one that no other experiment has, got '{}'", own.setup.name));
    }
    list.push_back(std::move(own));
  }
  return list;
}

namespace {

/// Null for an experiment of the program.
const own::OwnExperiment* own_of(const LaboratoryOptions& options, const Experiment& experiment) {
  for (const auto& own : options.own) {
    if (&own.experiment == &experiment) return &own;
  }
  return nullptr;
}

std::vector<const Experiment*> asked_for(const LaboratoryOptions& options) {
  std::vector<const Experiment*> list;
  if (options.own.empty() || !options.only.empty()) list = chosen(options.only);
  for (const auto& own : options.own) list.push_back(&own.experiment);
  return list;
}

ExperimentResult report_of(const Experiment& experiment, KeptFindings kept) {
  ExperimentResult report{
      .experiment = &experiment, .findings = std::move(kept.findings), .verdicts = {}, .seconds = kept.seconds};
  report.verdicts = verdicts_of(experiment, report.findings);
  if (kept.settings.quick) {
    for (auto& [claim, verdict] : report.verdicts) verdict = given_in_quick(std::move(verdict), calibration(), claim);
  }
  return report;
}

/// In the order in which they run: first those that run alone, then the longest, so that no lane waits at the end.
std::vector<const Experiment*> in_lanes(std::vector<const Experiment*> list) {
  std::ranges::stable_sort(list, std::greater(), &Experiment::effort);
  std::ranges::stable_partition(list, &Experiment::runs_alone);
  return list;
}

}  // namespace

std::vector<ExperimentResult> run_laboratory(const Subject& subject, const LaboratoryOptions& options,
                                             const std::function<void(const LaboratoryProgress&)>& progress) {
  const auto list = in_lanes(asked_for(options));
  const int threads = options.threads > 0 ? options.threads : available_threads();
  const RunSettings settings = settings_of(subject, options);
  ProgressOfRun progress_of_run(list, progress);
  std::map<const Experiment*, ExperimentResult> results;
  std::mutex mutex;  // guards them
  const auto run = [&](const Experiment& experiment) {
    progress_of_run.begin(experiment);
    const fs::path file = findings_path(options.folder, experiment, settings);
    const auto* own = own_of(options, experiment);
    const uint64_t key = own != nullptr ? cache_key(*own, subject, settings) : cache_key(experiment, subject, settings);
    auto findings = find_findings(file, key);
    const bool kept = findings.has_value();
    if (!kept) {
      const Conditions conditions{
          .seed = options.seed, .quick = options.quick, .threads = threads, .progress = [&](double share) {
            progress_of_run.go_on(experiment, share);
          }};
      findings = found([&] {
        return own != nullptr ? own::find(*own, subject, conditions) : findings_of(experiment, subject, conditions);
      });
      findings->settings = settings;
      keep_findings(file, key, *findings);
    }
    progress_of_run.end(experiment, kept);
    auto result = report_of(experiment, std::move(*findings));
    const std::lock_guard lock(mutex);
    options.on_result(result);
    results.emplace(&experiment, std::move(result));
  };
  const auto first_in_lanes = std::ranges::find(list, false, &Experiment::runs_alone);
  const auto alone = static_cast<size_t>(first_in_lanes - list.begin());
  for (size_t i = 0; i < alone; ++i) run(*list[i]);
  run_side_by_side(list.size() - alone, std::min(kLanes, static_cast<size_t>(threads)),
                   [&](size_t i) { run(*list[alone + i]); });

  std::vector<ExperimentResult> reports;
  for (const Experiment& experiment : experiments()) {
    if (const auto result = results.find(&experiment); result != results.end()) {
      reports.push_back(std::move(result->second));
    } else if (auto kept = find_findings(findings_path(options.folder, experiment, settings),
                                         cache_key(experiment, subject, settings))) {
      reports.push_back(report_of(experiment, std::move(*kept)));
    }
  }
  for (const auto& own : options.own) reports.push_back(std::move(results.at(&own.experiment)));
  return reports;
}

}  // namespace summand::lab
