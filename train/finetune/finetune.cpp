#include "train/finetune/finetune.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "io/resolve_model.hpp"
#include "train/finetune/finetuning_task.hpp"
#include "train/finetune/layer_depth.hpp"
#include "train/finetune/remove_run.hpp"
#include "train/finetune/results.hpp"
#include "train/finetune/vectors/embed_task.hpp"
#include "train/run/about_program.hpp"
#include "train/run/run_description.hpp"
#include "train/run/run_page.hpp"
#include "train/run/text_sources.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

void require_valid(const FinetuneOptions& options) {
  const std::string fault = validation_error(options);
  if (fault.empty()) return;
  const size_t colon = fault.find(": ");
  throw UsageError(fault.substr(0, colon), fault.substr(colon + 2));
}

void require_fit(const FinetuneRequest& request, const io::Checkpoint& checkpoint, const text::Tokenizer& tokenizer) {
  const model::Config& config = checkpoint.config.config;
  if (static_cast<size_t>(config.vocab_size) < tokenizer.vocabulary_size()) {
    throw ConfigError(checkpoint.config.where, fmt::format("vocab_size: expected at least the tokenizer's {}, got {}",
                                                           tokenizer.vocabulary_size(), config.vocab_size));
  }
  const int64_t frozen = request.options.freeze.value_or(0);
  if (frozen <= config.num_hidden_layers) return;
  throw UsageError("--freeze", fmt::format("expected at most {}, the layers that the model has, got {}",
                                           config.num_hidden_layers, frozen));
}

std::unique_ptr<FinetuningTask> make_task(const TaskInputs& inputs) {
  if (inputs.request.options.task == FinetuneTask::embed) return make_embed_task(inputs);
  return make_labelled_task(inputs);
}

/// Steps, and what is counted in them.
void count_steps(FinetuneOptions& options, size_t rows) {
  const auto steps = static_cast<int64_t>((rows + options.batch_size - 1) / options.batch_size);
  options.learning.steps = steps * options.epochs;
  options.learning.warmup = warmup_steps(options.warmup, options.learning.steps);
  if (options.validate_every == 0) options.validate_every = steps;
}

void require_shareable(const FinetuneOptions& options, const Ranks& ranks) {
  if (ranks.is_alone()) return;
  if (options.task == FinetuneTask::embed) {
    throw UsageError("--task", fmt::format("expected another task than embed with several processes, got {}: its loss "
                                           "may compare all texts of a step; one process trains it",
                                           ranks.size()));
  }
  if (options.batch_size >= static_cast<size_t>(ranks.size())) return;
  throw UsageError("--batch-size", fmt::format("expected at least {}, a row for each process, got {}", ranks.size(),
                                               options.batch_size));
}

std::string describe_run(const FinetuneRequest& request, const FinetuningTask& task, const InitialModel& initial,
                         const std::string& tokenizer, const AboutProgram& about) {
  OrderedJson json;
  json["options"] = OrderedJson::parse(to_json(request.options));
  json["options"]["metric"] = task.metric();
  json["data"] = task.data();
  json["data"]["tokenizer"] = tokenizer;
  model::Config config = initial.config;
  config.forget_reading();  // which follows from the options
  json["model"] = {{"config", OrderedJson::parse(model::to_json(config))}, {"init", initial.init_hash}};
  json["about"] = about_program(about);
  json["about"]["model"] = request.model;
  json["about"]["train"] = request.train;
  return json.dump();
}

/// Tokens that a row may have. The tokenizer's limit is that of the positions before they became more.
size_t limit_of(const FinetuneOptions& options, const io::Checkpoint& checkpoint, const text::Tokenizer& tokenizer) {
  const auto positions = static_cast<size_t>(checkpoint.config.config.max_position_embeddings);
  if (options.enlargement.positions) return positions;
  return std::min(positions, tokenizer.model_max_length().value_or(positions));
}

/// The checkpoint's own files, with those of the task.
TokenizerContents files_of(const TaskInputs& inputs, const FinetuningTask& task) {
  TokenizerContents files =
      tokenizer_contents(inputs.checkpoint.transformer_directory, inputs.limit, TokenizerFiles::that_exist);
  std::ranges::move(task.more_files(), std::back_inserter(files));
  return files;
}

}  // namespace

RunReport finetune(const FinetuneRequest& asked, Ranks& ranks, const TellRun& tell) {
  FinetuneRequest request = asked;
  FinetuneOptions& options = request.options;
  require_valid(options);
  require_shareable(options, ranks);
  if (request.fields.text_name() == request.fields.pair_name()) {
    throw UsageError("--pair-column", fmt::format("expected another column than --text-column, got '{}' for both",
                                                  printable(request.fields.text_name())));
  }
  const int threads = request.threads > 0 ? request.threads : ranks.default_threads();
  at::set_num_threads(threads);
  const std::filesystem::path model = io::resolve_model(request.model);
  if (request.overwrite && lies_in_run(model, request.out)) {
    throw UsageError("--overwrite", fmt::format("expected a --model outside of {}, which it removes, got {}",
                                                path_text(request.out), path_text(model)));
  }
  io::Checkpoint checkpoint = io::load_checkpoint(model, threads);
  enlarge(checkpoint.config.config, checkpoint.weights, options.enlargement);
  const auto tokenizer = text::Tokenizer::load(checkpoint.transformer_directory);
  require_fit(request, checkpoint, tokenizer);
  const TaskInputs inputs{.request = request,
                          .checkpoint = checkpoint,
                          .tokenizer = tokenizer,
                          .limit = limit_of(options, checkpoint, tokenizer)};
  const auto task = make_task(inputs);
  InitialModel initial = task->initial_model();
  draw_missing(initial, options.seed);
  count_steps(options, task->train_rows());
  const TokenizerContents files = files_of(inputs, *task);
  const std::string description =
      describe_run(request, *task, initial, tokenizer_hash(checkpoint.transformer_directory, tokenizer.class_name()),
                   {.command = request.command, .threads = threads, .processes = ranks.size()});
  require_same_run(description, ranks);
  std::optional<RunFolder> folder;
  if (ranks.is_first()) {
    if (request.overwrite) remove_run(request.out);
    folder.emplace(request.out, description, request.resume);
  }
  const auto notice = [&](const std::string& text) { tell({.kind = RunNews::Kind::notice, .text = text}); };
  if (const auto& difference = tokenizer.difference()) notice(*difference);
  auto saved = folder ? folder->last() : std::nullopt;
  std::ranges::for_each(task->notices(), notice);
  if (const auto warmup = warmup_notice(options.learning)) notice(*warmup);
  if (!saved) std::ranges::for_each(initial.notices, notice);  // of a beginning
  if (folder) std::ranges::for_each(folder->changes(), notice);
  Network network(initial.config, initial.parts, saved ? saved->weights : initial.weights, {}, initial.more);
  initial.weights = {};
  if (options.freeze) freeze(network.parameters(), *options.freeze, network.config());
  Learner learner(network, *task, options.learning, layer_rates(options.layer_decay, network.config()));
  learner.share_steps(ranks);
  if (!folder) {
    follow_run(learner);
    return {};
  }
  const int64_t every = options.validate_every;
  const RunPlan plan{.log_every = request.log_every,
                     .validate_every = every,
                     .checkpoint_every = request.checkpoint_every > 0 ? request.checkpoint_every : every,
                     .patience = options.patience};
  RunReport report = run_learner(learner, *folder, saved, plan, files, tell);
  if (report.ending == Ending::interrupted) return report;
  const Network best(initial.config, initial.parts, folder->best_weights(), {}, initial.more);
  try {
    for (const std::string& line : write_results(folder->path(), *task, best, report.state)) {
      tell({.kind = RunNews::Kind::validation, .text = line});
    }
  } catch (const Interrupted& interrupted) {
    report.ending = Ending::interrupted;
    report.signal = interrupted.signal;
    return report;
  }
  write_run_page(folder->path());
  return report;
}

}  // namespace summand::train
