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

/// Steps and excess of every validation, from metrics.jsonl.
OrderedJson curve_of(const std::filesystem::path& run) {
  auto curve = OrderedJson::array();
  std::ifstream lines(run / "metrics.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const auto json = OrderedJson::parse(line);
    if (json.contains("valid")) curve.push_back({json.at("step"), json.at("valid").at("excess")});
  }
  return curve;
}

OrderedJson row_of(const Excess& excess, double gap) {
  OrderedJson row{{"excess", excess.excess}, {"gap", gap}};
  for (const auto& [name, stratum] : excess.strata) {
    row["strata"][name] = {{"excess", stratum.excess}, {"asked", stratum.asked}};
  }
  return row;
}

void write_row(const std::filesystem::path& run, const PlannedRun& planned, const OrderedJson& more) {
  OrderedJson row{{"task", planned.task}, {"arm", planned.arm}, {"seed", planned.seed}};
  row.update(more);
  write_whole(run / kRowFile, row.dump(1) + "\n");
}

}  // namespace

std::filesystem::path folder_of(const std::filesystem::path& study, const PlannedRun& run) {
  return study / "runs" / run.task / run.arm / std::to_string(run.seed);
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
  OrderedJson options{{"plan", plan.hash}, {"run", run.name()}};
  add_to(options, learning);
  OrderedJson description{
      {"options", std::move(options)},
      {"data", {{"task", hash_of_data(*task)}}},
      {"model",
       {{"config", OrderedJson::parse(model::to_json(initial.config))}, {"tensors", hashes_of(initial.weights)}}},
      {"about", about_program("", threads, false)}};
  const auto out = folder_of(study, run);
  RunFolder folder(out, description.dump(), true);
  auto saved = folder.last();
  Network network(initial.config, initial.parts, saved ? saved->weights : initial.weights);
  initial.weights = {};
  const Reading reading{.separator = planned.separator, .misread = arm.misread};
  const StudyEvaluation evaluation(*task, reading, plan.evaluation_sequences);
  StudyTask learned(*task, evaluation, reading, plan.batch_sequences);
  Learner learner(network, learned, learning);
  const RunPlan steps{
      .log_every = plan.evaluate_every, .validate_every = plan.evaluate_every, .checkpoint_every = plan.learning.steps};
  const auto size = static_cast<size_t>(network.config().max_position_embeddings);
  OrderedJson row{{"data", description["data"]["task"]}, {"learning_rate", learning.learning_rate}};
  try {
    const RunReport report =
        run_learner(learner, folder, saved, steps, study_tokenizer(task->sizes().symbols, size), tell);
    if (report.ending == Ending::interrupted) return report;
    row.update(row_of(evaluation.excess_with_strata(network), evaluation.gap()));
    row["curve"] = curve_of(out);
    row["tokens"] = report.state.progress.tokens;
    row["seconds"] = report.state.seconds;
    write_row(out, run, row);
    return report;
  } catch (const TrainingError& error) {
    row["diverged"] = error.what();
    write_row(out, run, row);
    throw;
  }
}

}  // namespace summand::train
