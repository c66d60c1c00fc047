#include "train/study/study_run.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "train/run/about_program.hpp"
#include "train/run/learning_json.hpp"
#include "train/run/training_error.hpp"
#include "train/run/whole_file.hpp"
#include "train/study/arm_model.hpp"
#include "train/study/study_rows.hpp"
#include "train/study/study_task.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr uint64_t kHashedSequences = 256;  // of each part, for the proof of pairing

/// What arms of a seed have in common: tables, sequences, and what is asked.
std::string hash_of_data(const Task& task) {
  Hash hash;
  hash.add(task.tables().dump());
  for (const auto part : {DataPart::training, DataPart::evaluation}) {
    for (uint64_t index = 0; index < kHashedSequences; ++index) {
      const TaskSequence sequence = task.draw(part, index);
      hash.add_bytes(std::as_bytes(std::span(sequence.symbols)));
      hash.add_bytes(std::as_bytes(std::span(sequence.segments)));
      hash.add_bytes(std::as_bytes(std::span(sequence.asked)));
    }
  }
  return fmt::format("{:016x}", hash.value());
}

OrderedJson hashes_of(const model::Weights& weights) {
  OrderedJson json;
  for (const auto& [name, tensor] : weights) {
    Hash hash;
    hash.add_bytes(tensor.bytes);
    json[name] = fmt::format("{:016x}", hash.value());
  }
  return json;
}

/// Every validation, from metrics.jsonl.
std::vector<CurvePoint> curve_of(const std::filesystem::path& run) {
  std::vector<CurvePoint> curve;
  std::ifstream lines(run / "metrics.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const auto json = OrderedJson::parse(line);
    if (!json.contains("valid")) continue;
    const auto& valid = json.at("valid");
    CurvePoint point{.step = json.at("step"), .excess = valid.at("excess")};
    if (valid.contains("distance_share")) point.distance_share = valid.at("distance_share");
    if (valid.contains("circle_share")) point.circle_share = valid.at("circle_share");
    curve.push_back(point);
  }
  return curve;
}

void write_row(const std::filesystem::path& run, const StudyRow& row) {
  write_whole(run / kRowFile, to_json(row).dump(1) + "\n");
}

}  // namespace

std::filesystem::path folder_of(const std::filesystem::path& study, const PlannedRun& run) {
  return study / kRunsFolder / run.task / run.arm / std::to_string(run.seed);
}

void check_arms(const StudyPlan& plan) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const PlannedRun& run : runs_of(plan)) {
    if (!seen.emplace(run.task, run.arm).second) continue;
    const PlannedTask& task = plan.task(run.task);
    (void)arm_model(plan, plan.arm(run.arm), *make_task(task.task, task.sizes, run.seed), task.separator, run.seed);
  }
}

RunReport run_one(const StudyPlan& plan, const PlannedRun& run, const std::filesystem::path& study, int threads,
                  const TellRun& tell) {
  at::set_num_threads(threads);
  const Arm& arm = plan.arm(run.arm);
  const PlannedTask& planned = plan.task(run.task);
  const auto task = make_task(planned.task, planned.sizes, run.seed);
  InitialModel initial = arm_model(plan, arm, *task, planned.separator, run.seed);
  LearningOptions learning = plan.learning;
  learning.learning_rate = arm.learning_rate.value_or(learning.learning_rate);
  const std::string data = hash_of_data(*task);
  OrderedJson options{{"plan", plan.hash}, {"run", run.name()}};
  add_to(options, learning);
  OrderedJson description{
      {"options", std::move(options)},
      {"data", {{"task", data}}},
      {"model",
       {{"config", OrderedJson::parse(model::to_json(initial.config))}, {"tensors", hashes_of(initial.weights)}}},
      {"about", about_program({.command = "", .threads = threads})}};
  const auto out = folder_of(study, run);
  RunFolder folder(out, description.dump(), true);
  auto saved = folder.last();
  Network network(initial.config, initial.parts, saved ? saved->weights : initial.weights);
  initial.weights = {};
  const Reading reading{.separator = planned.separator, .misread = arm.misread};
  Reading training = reading;
  training.predicted = arm.predicted;
  const StudyEvaluation evaluation(*task, reading, plan.evaluation_sequences);
  StudyTask learned(*task, evaluation, training, plan.batch_sequences, arm.masked);
  Learner learner(network, learned, learning);
  const RunPlan steps{.log_every = plan.evaluate_every,
                      .validate_every = plan.evaluate_every,
                      .checkpoint_every = plan.learning.steps,
                      .keep = run.keep};
  const auto size = static_cast<size_t>(network.config().max_position_embeddings);
  StudyRow row{.task = run.task, .arm = run.arm, .seed = run.seed, .learning_rate = learning.learning_rate};
  row.data = data;
  row.gap = evaluation.gap();
  try {
    const RunReport report =
        run_learner(learner, folder, saved, steps, study_tokenizer(task->sizes().symbols, size), tell);
    if (report.ending == Ending::interrupted) return report;
    Excess excess = evaluation.excess_with_strata(network);
    row.excess = excess.excess;
    row.hidden_boundary = excess.hidden_boundary;
    row.strata = std::move(excess.strata);
    for (const int64_t masked : planned.also_masked) {
      const StudyEvaluation more(*task, reading, plan.evaluation_sequences, static_cast<size_t>(masked));
      row.strata[fmt::format("{} masked", masked)] = {
          .excess = more.excess_of(network), .gap = more.gap(), .asked = more.asked()};
    }
    row.curve = curve_of(out);
    row.tokens = report.state.progress.tokens;
    write_row(out, row);
    return report;
  } catch (const TrainingError&) {
    row.excess = row.gap;  // it predicts nothing
    row.diverged = true;
    row.curve = curve_of(out);
    write_row(out, row);
    throw;
  }
}

}  // namespace summand::train
