#include "lab/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "base/random_stream.hpp"
#include "base/thread_pool.hpp"
#include "io/folder_lock.hpp"
#include "io/output_file.hpp"
#include "lab/calibrate/kept_counts.hpp"
#include "lab/calibration/calibration_file.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/results/rule_state.hpp"
#include "lab/run/experiment_sources.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "summand/version.hpp"

namespace summand::lab {

namespace calibrating {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSeeds = 10;
constexpr size_t kQuickTruths = 10;
constexpr size_t kMostFile = size_t{16} << 20;
constexpr const char* kProgram = "summand lab calibrate";
constexpr const char* kRunFile = "run.json";
constexpr const char* kCalibrationFile = "calibration.json";
constexpr const char* kTruthsFolder = "truths";

/// A family and one of the experiments that judge it: its claims there, in the order of the experiment's rules.
struct Assay {
  const Planting* planting = nullptr;
  const Experiment* experiment = nullptr;
  TruthCounts counts;
  std::vector<PlantedTruth> claims;
};

/// What an assay came to.
struct Judged {
  std::string size;
  std::vector<JudgedTruth> truths;
};

std::vector<PlantedTruth> claims_of(const Planting& planting, const Experiment& experiment) {
  std::vector<PlantedTruth> claims;
  for (const auto& rule : experiment.rules) {
    const auto found = std::ranges::find(planting.truths, rule.claim, &PlantedTruth::claim);
    if (found != planting.truths.end()) claims.push_back(*found);
  }
  return claims;
}

std::vector<Assay> assays_of(const std::vector<const Experiment*>& experiments, bool quick) {
  std::vector<Assay> assays;
  for (const Experiment* experiment : experiments) {
    for (const auto& planting : plantings()) {
      auto claims = claims_of(planting, *experiment);
      if (claims.empty()) continue;
      assays.push_back({&planting, experiment, truth_counts(experiment->name, quick), std::move(claims)});
    }
  }
  return assays;
}

/// The number of a claim that is shown for its rule: one by name, or the first.
const Number* deciding_number(const Numbers& numbers, const std::string& claim) {
  const std::string name = plan_of(claim).number;
  if (!name.empty()) return find_number(numbers, name);
  return numbers.all().empty() ? nullptr : &numbers.all().front();
}

std::vector<JudgedTruth::Trial> judged(const Assay& assay, const Subject& subject, uint64_t seed, RunLength length) {
  const Findings findings =
      findings_of(*assay.experiment, subject, {.seed = seed, .quick = length == RunLength::quick, .threads = 1});
  const auto verdicts = verdicts_of(*assay.experiment, findings);
  std::vector<JudgedTruth::Trial> trials;
  for (const auto& [claim, is_true] : assay.claims) {
    JudgedTruth::Trial trial{.observation = verdicts.at(claim).observation};
    if (const auto numbers = findings.numbers.find(claim); numbers != findings.numbers.end()) {
      const Number* number = deciding_number(numbers->second, claim);
      if (number != nullptr && std::isfinite(number->value)) trial.number = {number->value};
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

/// Whether other seeds give each claim the observation that the truth's own seed gave.
std::vector<bool> stable(const Assay& assay, const Subject& subject, uint64_t own, RunLength length,
                         const std::vector<JudgedTruth::Trial>& first) {
  std::vector<bool> same(assay.claims.size(), true);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    if (seed == own) continue;
    const auto others = judged(assay, subject, seed, length);
    for (size_t claim = 0; claim < same.size(); ++claim) {
      same[claim] = same[claim] && others[claim].observation == first[claim].observation;
    }
  }
  return same;
}

/// "192 x 48"; of a checkpoint also its vocabulary.
std::string size_of(const Subject& subject) {
  const std::string positions = fmt::format("{} x {}", subject.positions.rows(), subject.positions.cols());
  return subject.model ? fmt::format("{}, {} x {}", positions, subject.tokens.rows(), subject.tokens.cols())
                       : positions;
}

/// Truth number `which`: its subject depends on the seed, the family and the number alone; it is judged with a seed of
/// its own, so that the nulls' draws of different truths are independent.
JudgedTruth judge_truth(const Assay& assay, const Subject& subject, size_t which) {
  JudgedTruth truth;
  const auto seed = static_cast<uint64_t>(which);
  if (which < assay.counts.quick) truth.quick = judged(assay, subject, seed, RunLength::quick);
  if (which < assay.counts.full) truth.full = judged(assay, subject, seed, RunLength::full);
  if (which < assay.counts.seeded_quick) {
    truth.stable_quick = stable(assay, subject, seed, RunLength::quick, truth.quick);
  }
  if (which < assay.counts.seeded_full) {
    truth.stable_full = stable(assay, subject, seed, RunLength::full, truth.full);
  }
  return truth;
}

Judged judge(const Assay& assay, const CalibrateOptions& options, const std::function<void()>& one_done) {
  Judged judged{.size = {}, .truths = std::vector<JudgedTruth>(assay.counts.most())};
  std::mutex mutex;
  const int threads = options.threads > 0 ? options.threads : available_threads();
  ThreadPool::shared().run(judged.truths.size(), threads, [&](size_t which, int) {
    RandomStream stream(options.seed, fmt::format("calibrate: {} {}", assay.planting->name, which));
    const Subject subject = assay.planting->plant(stream);
    judged.truths[which] = judge_truth(assay, subject, which);
    const std::lock_guard lock(mutex);
    if (which == 0) judged.size = size_of(subject);
    one_done();
  });
  return judged;
}

// What was finished is kept beside calibration.json: an assay a file.

Json json_of(const std::vector<JudgedTruth::Trial>& trials) {
  Json json = Json::array();
  for (const auto& trial : trials) json.push_back({static_cast<int>(trial.observation), trial.number});
  return json;
}

std::vector<JudgedTruth::Trial> trials_of(const Json& json) {
  std::vector<JudgedTruth::Trial> trials;
  for (const auto& trial : json) trials.push_back({static_cast<Observation>(trial.at(0).get<int>()), trial.at(1)});
  return trials;
}

std::string text_of(const Judged& judged, uint64_t key) {
  Json json{{"key", key}, {"size", judged.size}, {"truths", Json::array()}};
  for (const auto& truth : judged.truths) {
    json["truths"].push_back({{"quick", json_of(truth.quick)},
                              {"full", json_of(truth.full)},
                              {"stable_quick", truth.stable_quick},
                              {"stable_full", truth.stable_full}});
  }
  return json.dump() + "\n";
}

/// Of all that an assay's results depend on.
uint64_t cache_key(const Assay& assay, uint64_t seed) {
  Hash hash;
  for (const auto& part : {sources_hash(""), sources_hash(assay.experiment->name), sources_hash("calibrate")}) {
    hash.add(part);
  }
  hash.add_number(seed);
  hash.add_number(assay.counts.quick);
  hash.add_number(assay.counts.full);
  hash.add_number(assay.counts.seeded_quick);
  hash.add_number(assay.counts.seeded_full);
  for (const auto& [claim, is_true] : assay.claims) hash.add(claim);
  return hash.value();
}

fs::path kept_path(const fs::path& folder, const Assay& assay) {
  return folder / kTruthsFolder / fmt::format("{}.{}.json", assay.experiment->name, assay.planting->name);
}

/// What an earlier run finished, if it is of this key; nothing where it cannot be read.
std::optional<Judged> kept(const fs::path& file, uint64_t key) {
  try {
    if (!is_there(file)) return {};
    const Json json = read_json(file, kMostFile);
    if (json.at("key") != key) return {};
    Judged judged{.size = json.at("size"), .truths = {}};
    for (const auto& truth : json.at("truths")) {
      judged.truths.push_back({.quick = trials_of(truth.at("quick")),
                               .full = trials_of(truth.at("full")),
                               .stable_quick = truth.at("stable_quick"),
                               .stable_full = truth.at("stable_full")});
    }
    return judged;
  } catch (const Error&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

void write_text(const fs::path& file, const std::string& text) {
  io::OutputFile out(file);
  out.write(text);
  out.commit();
}

void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw IoError(path_text(folder), "cannot be made: " + failed.message());
}

/// What a calibration's folder has, and what a write that was cut short leaves of it.
bool is_of_a_calibration(const fs::path& entry) {
  const std::string name = entry.filename().string();
  return name == kTruthsFolder || name.starts_with(kCalibrationFile) || name.starts_with(kRunFile);
}

[[noreturn]] void refuse_folder(const fs::path& folder, std::string_view why) {
  throw UsageError(path_text(folder),
                   fmt::format("expected an empty folder, or one of an earlier calibration; {}", why));
}

/// What the folder's calibration was planted with; nothing where there is none yet.
std::optional<uint64_t> seed_of_folder(const fs::path& folder) {
  const fs::path run_file = folder / kRunFile;
  if (!is_there(run_file)) return {};
  const Json run = read_json(run_file, kMostFile);
  const auto program = run.find("program");
  const auto seed = run.find("seed");
  if (program == run.end() || *program != kProgram || seed == run.end() || !seed->is_number_unsigned()) {
    refuse_folder(folder, fmt::format("its {} is not of this program", kRunFile));
  }
  return seed->get<uint64_t>();
}

/// Makes the folder, or finds it to be of an earlier calibration with this seed. It is this run's while the lock lives.
io::FolderLock open_folder(const fs::path& folder, uint64_t seed) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !fs::is_directory(folder, failed)) {
    throw UsageError(path_text(folder), "expected a folder for the calibration, got a file");
  }
  make_folder(folder);
  io::FolderLock lock(folder);
  const auto before = seed_of_folder(folder);
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (!is_of_a_calibration(entry.path())) refuse_folder(folder, "it holds other files");
  }
  if (before && *before != seed) {
    throw UsageError(path_text(folder), fmt::format("expected an empty folder, or one of an earlier calibration with "
                                                    "--seed {}; it is of --seed {}",
                                                    seed, *before));
  }
  if (!before) write_text(folder / kRunFile, Json{{"program", kProgram}, {"seed", seed}}.dump(2) + "\n");
  make_folder(folder / kTruthsFolder);
  return lock;
}

/// The number's label: of any truth that has one.
struct Shown {
  std::string name;
  LocalizedText label;
};

Shown shown_number(const Assay& assay, const std::string& claim, uint64_t seed) {
  RandomStream stream(seed, fmt::format("calibrate: {} 0", assay.planting->name));
  const Subject subject = assay.planting->plant(stream);
  const Findings findings = findings_of(*assay.experiment, subject, {.seed = 0, .quick = true, .threads = 1});
  const auto numbers = findings.numbers.find(claim);
  if (numbers == findings.numbers.end()) return {};
  const Number* number = deciding_number(numbers->second, claim);
  return number != nullptr ? Shown{number->name, number->label} : Shown{};
}

std::vector<Threshold> thresholds_of(const Rule& rule, const ClaimPlan& plan) {
  std::vector<Threshold> thresholds;
  for (const auto& name : plan.thresholds) {
    const auto bar = std::ranges::find(rule.bars, name, &FormatArg::name);
    if (bar == rule.bars.end() || !std::holds_alternative<double>(bar->value)) {
      throw std::out_of_range(fmt::format("the rule of {} has no number '{}'", rule.claim, name));
    }
    thresholds.push_back({name, plan.scale * std::get<double>(bar->value)});
  }
  return thresholds;
}

/// A claim with all its families, in the order of the plantings.
CalibratedClaim claim_of(const Experiment& experiment, const Rule& rule, const std::vector<Assay>& assays,
                         const std::vector<Judged>& judged, uint64_t seed) {
  CalibratedClaim claim{.claim = rule.claim,
                        .experiment = experiment.name,
                        .rule = rule_hash(rule),
                        .version = std::string(version()),
                        .seed = seed,
                        .number = {},
                        .label = {},
                        .thresholds = thresholds_of(rule, plan_of(rule.claim)),
                        .lacking = why_one_sided(rule.claim)};
  for (size_t i = 0; i < assays.size(); ++i) {
    if (assays[i].experiment != &experiment) continue;
    const auto& claims = assays[i].claims;
    const auto found = std::ranges::find(claims, rule.claim, &PlantedTruth::claim);
    if (found == claims.end()) continue;
    if (claim.number.empty()) {
      auto [name, label] = shown_number(assays[i], rule.claim, seed);
      claim.number = std::move(name);
      claim.label = std::move(label);
    }
    const auto place = static_cast<size_t>(found - claims.begin());
    claim.families.push_back(counted(*assays[i].planting, judged[i].size, found->is_true, place, judged[i].truths));
  }
  return claim;
}

/// Claims of data in the order of the experiments; those that this call did not try as they were before, and of the
/// others the counts by draws that it did not make.
Calibration joined(const std::vector<const Experiment*>& tried, const std::vector<Assay>& assays,
                   const std::vector<Judged>& judged, uint64_t seed) {
  Calibration result;
  for (const auto& experiment : experiments()) {
    const bool is_tried = std::ranges::find(tried, &experiment) != tried.end();
    for (const auto& rule : experiment.rules) {
      if (rule.decision.kind != Kind::data) continue;
      if (const LocalizedText reason = why_not_planted(rule.claim); !reason.en.empty()) {
        result.without.push_back({rule.claim, experiment.name, reason});
      } else if (is_tried) {
        result.claims.push_back(claim_of(experiment, rule, assays, judged, seed));
        keep_other_counts(result.claims.back(), calibration().find(rule.claim));
      } else if (const CalibratedClaim* before = calibration().find(rule.claim)) {
        result.claims.push_back(*before);
      }
    }
  }
  return result;
}

}  // namespace
}  // namespace calibrating

TruthCounts truth_counts(const std::string& experiment, bool quick) {
  // Quick and full truths, and those of each under ten seeds.
  constexpr TruthCounts kUsual{.quick = 100, .full = 40, .seeded_quick = 10, .seeded_full = 3};
  constexpr TruthCounts kManyQuick{.quick = 100, .full = 20, .seeded_quick = 10, .seeded_full = 2};
  constexpr TruthCounts kHalf{.quick = 50, .full = 20, .seeded_quick = 5, .seeded_full = 2};
  constexpr TruthCounts kFew{.quick = 40, .full = 10, .seeded_quick = 4, .seeded_full = 1};
  constexpr TruthCounts kLeast{.quick = 12, .full = 2, .seeded_quick = 1, .seeded_full = 0};
  static const std::map<std::string, TruthCounts, std::less<>> fewer{
      {"path", kHalf},        {"decoding", kHalf},   {"circle_readers", kHalf}, {"continuity", kHalf},
      {"clocks", kManyQuick}, {"oscillation", kFew}, {"distance", kLeast}};
  const auto found = fewer.find(experiment);
  const TruthCounts all = found == fewer.end() ? kUsual : found->second;
  if (!quick) return all;
  const size_t truths = std::min(all.quick, calibrating::kQuickTruths);
  return {.quick = truths, .full = 0, .seeded_quick = std::min(all.seeded_quick, size_t{2}), .seeded_full = 0};
}

CalibratedFamily counted(const Planting& planting, const std::string& size, bool is_true, size_t claim,
                         const std::vector<JudgedTruth>& truths) {
  CalibratedFamily family{.name = planting.name, .words = planting.words(), .size = size, .is_true = is_true};
  const auto count = [&](std::vector<JudgedTruth::Trial> JudgedTruth::*trials,
                         std::vector<bool> JudgedTruth::*stable) -> std::optional<JudgedTruths> {
    JudgedTruths judged{.counts = {}, .stable = {}};
    std::vector<double> numbers;
    for (const auto& truth : truths) {
      if (!(truth.*trials).empty()) {
        const auto& trial = (truth.*trials)[claim];
        judged.counts.add(trial.observation);
        numbers.insert(numbers.end(), trial.number.begin(), trial.number.end());
      }
      if (!(truth.*stable).empty()) {
        ++judged.stable.of;
        judged.stable.seen += (truth.*stable)[claim] ? 1 : 0;
      }
    }
    if (judged.counts.total() == 0) return {};
    if (!numbers.empty()) {
      judged.number = Quantiles{.lowest = quantile(numbers, 0.025),
                                .lower = quantile(numbers, 0.25),
                                .middle = quantile(numbers, 0.5),
                                .upper = quantile(numbers, 0.75),
                                .highest = quantile(numbers, 0.975)};
    }
    return judged;
  };
  family.quick = count(&JudgedTruth::quick, &JudgedTruth::stable_quick);
  family.full = count(&JudgedTruth::full, &JudgedTruth::stable_full);
  return family;
}

Calibration calibrate(const CalibrateOptions& options, const std::function<void(const CalibrateProgress&)>& progress) {
  using namespace calibrating;
  const auto tried = chosen(options.only);
  const auto assays = assays_of(tried, options.quick);
  const io::FolderLock lock = open_folder(options.folder, options.seed);
  CalibrateProgress state;
  for (const auto& assay : assays) state.of += assay.counts.most();
  std::vector<Judged> judged;
  for (const auto& assay : assays) {
    state.experiment = assay.experiment->name;
    state.family = assay.planting->name;
    progress(state);
    const uint64_t key = cache_key(assay, options.seed);
    const fs::path file = kept_path(options.folder, assay);
    if (auto before = kept(file, key)) {
      judged.push_back(std::move(*before));
      state.done += assay.counts.most();
      continue;
    }
    judged.push_back(judge(assay, options, [&] {
      ++state.done;
      progress(state);
    }));
    write_text(file, text_of(judged.back(), key));
  }
  return joined(tried, assays, judged, options.seed);
}

Calibration write_calibration(const CalibrateOptions& options,
                              const std::function<void(const CalibrateProgress&)>& progress) {
  Calibration result = calibrate(options, progress);
  calibrating::write_text(options.folder / calibrating::kCalibrationFile, calibration_json(result));
  return result;
}

}  // namespace summand::lab
