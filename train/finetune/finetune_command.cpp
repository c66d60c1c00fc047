#include "train/finetune/finetune_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "model/reading.hpp"
#include "train/run/command_options.hpp"
#include "train/run/progress_reporter.hpp"

namespace summand::train {

namespace {

void complete_embed(FinetuneCommand& command) {
  FinetuneRequest& request = command.request;
  EmbedOptions& options = request.options.embed;
  if (request.options.task != FinetuneTask::embed) {
    if (!request.negative && request.teacher.empty() && request.valid_teacher.empty() && options == EmbedOptions{} &&
        command.loss.empty() && command.pooling.empty() && command.activation.empty()) {
      return;
    }
    throw UsageError("command line",
                     "expected --task embed with --loss, --negative-column, --teacher, --valid-teacher, --pooling, "
                     "--activation and --scale, got another");
  }
  const auto named = [](const auto& names, const std::string& name) {
    return std::ranges::find(names, name, [](const auto& one) { return one.name; })->value;
  };
  if (!command.loss.empty()) options.loss = named(enum_names(SentenceLoss{}), command.loss);
  if (!command.pooling.empty()) options.pooling = named(file_poolings(), command.pooling);
  if (!command.activation.empty()) options.activation = named(dense_activations(), command.activation);
}

void complete_window_encoder(FinetuneCommand& command) {
  FinetuneOptions& options = command.request.options;
  if (!encodes_windows(options) && (command.window_layers || command.most_windows)) {
    throw UsageError("command line",
                     "expected --windows transformer with --window-layers and --most-windows, got another");
  }
  model::WindowEncoder& encoder = options.window_encoder;
  encoder.layers = command.window_layers.value_or(encoder.layers);
  encoder.most_windows = command.most_windows.value_or(encoder.most_windows);
}

void complete(FinetuneCommand& command) {
  FinetuneRequest& request = command.request;
  FinetuneOptions& options = request.options;
  set(options.task, command.task);
  set(options.learning.schedule, command.schedule);
  set(options.precision, command.precision);
  set(options.truncation, command.truncation);
  set(options.enlargement.rows, command.new_rows);
  if (!command.windows.empty()) {
    options.windows = WindowOptions{.overlap = command.overlap};
    set(options.windows->pooling, command.windows);
  }
  complete_window_encoder(command);
  complete_embed(command);
  const bool is_labelled = options.task != FinetuneTask::embed;  // else a label says which loss
  if (!request.fields.label && is_labelled)
    request.fields.label = options.task == FinetuneTask::tag ? "labels" : "label";
  request.command = quoted_command(command.words);
}

void add_files(CLI::App& verb, FinetuneRequest& request) {
  const auto file = [&](const char* name, std::string& value, const char* help) {
    return verb.add_option(name, value, help);
  };
  file("--train", request.train, "Rows to train on: .tsv or .csv with a header line, or .jsonl; also with .gz or .zst")
      ->required()
      ->option_text("FILE REQUIRED");
  file("--valid", request.valid, "Rows for validation, which are not trained on")->option_text("FILE");
  file("--test", request.test, "Rows to judge the best checkpoint on")->option_text("FILE");
  file("--predict", request.predict, "Rows without labels; RUN/predictions.jsonl says their labels")
      ->option_text("FILE");
  verb.add_option("--text-column", request.fields.text, "Key or column of the texts, if it is not text")
      ->option_text("NAME");
  verb.add_option("--pair-column", request.fields.text_pair, "Key or column of second texts, if it is not text_pair")
      ->option_text("NAME");
  verb.add_option("--label-column", request.fields.label, "Key or column of the labels. Default: label, of tag labels")
      ->option_text("NAME");
}

void add_rows(CLI::App& verb, FinetuneCommand& command) {
  FinetuneOptions& options = command.request.options;
  CommandOptions add(verb);
  verb.add_flag("--multi-label", options.multi_label,
                "Each row has several labels or none: a list, or in a table separated by commas");
  add.real("--valid-share", options.valid_share,
           "Without --valid: share of the training rows to validate on, the same share of each label");
  verb.add_option("--max-length", options.max_length,
                  "At most N tokens per row. Default: what model and tokenizer allow")
      ->check(terminal::whole_number(3))
      ->option_text("N");
  auto* positions = verb.add_option("--positions", options.enlargement.positions,
                                    "Lengthen the model's position table to N rows, so that it reads longer rows whole")
                        ->check(terminal::whole_number(1))
                        ->option_text("N");
  add.new_rows(command.new_rows)->needs(positions);
  std::vector<std::string> cuts, poolings;
  for (const auto& entry : enum_names(text::Truncation{})) cuts.emplace_back(entry.name);
  for (const auto& entry : enum_names(WindowPooling{})) poolings.emplace_back(entry.name);
  verb.add_option("--truncation", command.truncation, "How to cut a longer row")
      ->check(terminal::one_of(cuts))
      ->option_text(fmt::format("{}=longest_first", fmt::join(cuts, "|")));
  auto* windows =
      verb.add_option("--windows", command.windows,
                      "Divide a longer row into windows of whole words instead of cutting it, and learn "
                      "from the mean or the maximum of their logits, as summand classify, rerank and tag "
                      "then do with this model. transformer: a small transformer over the windows' vectors, "
                      "which learns with the model. Of a pair, the second text is divided");
  windows->check(terminal::one_of(poolings))
      ->option_text(fmt::format("{}", fmt::join(poolings, "|")))
      ->excludes("--truncation");
  verb.add_option("--overlap", command.overlap, "With --windows: neighbouring windows share up to N tokens")
      ->check(terminal::whole_number(0))
      ->needs(windows)
      ->option_text("N=0");
  verb.add_option("--window-layers", command.window_layers, "Layers of --windows transformer")
      ->check(terminal::whole_number(1, model::kMostWindowLayers))
      ->option_text(fmt::format("N={}", options.window_encoder.layers));
  verb.add_option("--most-windows", command.most_windows,
                  "Windows of a row for --windows transformer; a row of more loses the rest")
      ->check(terminal::whole_number(1, model::kMostWindows))
      ->option_text(fmt::format("N={}", options.window_encoder.most_windows));
}

void add_learning(CLI::App& verb, FinetuneCommand& command) {
  FinetuneOptions& options = command.request.options;
  CommandOptions add(verb);
  add.number("--epochs", options.epochs, 1, "How often each row is trained on");
  add.number("--batch-size", options.batch_size, 1, "Rows per step");
  add.number("--batch-tokens", options.batch_tokens, 1,
             "At most N tokens in memory at once; a step of more is made of several parts");
  add.real("--learning-rate", options.learning.learning_rate, "Largest learning rate");
  add.real("--warmup", options.warmup, "Steps in which the learning rate rises; below 1: share of the steps");
  add.choice("--schedule", command.schedule, Schedule{}, "How the learning rate falls after that");
  add.real("--layer-decay", options.layer_decay, "Factor of the learning rate from each layer to the one below it");
  verb.add_option("--freeze", options.freeze, "Keep the tables and the first N layers as they are")
      ->check(terminal::whole_number(0))
      ->option_text("N");
  verb.add_option("--dropout", options.dropout, "Dropout, instead of the rates in the model's config.json")
      ->option_text("X");
  verb.add_option("--class-weights", options.class_weights,
                  "Weights of labels in the loss. balanced: rare ones count more; or a JSON file, {\"label\": weight}")
      ->option_text("none|balanced|FILE=none");
  add.learning(options.learning);
  add.choice("--precision", command.precision, Precision{}, "Number format of matrix products");
}

void add_embed(CLI::App& verb, FinetuneCommand& command) {
  FinetuneRequest& request = command.request;
  const auto choice = [&](const char* name, std::string& value, const auto& names, const char* help) {
    std::vector<std::string> words;
    for (const auto& entry : names) words.emplace_back(entry.name);
    const std::string shown = fmt::format("{}", fmt::join(words, "|"));
    verb.add_option(name, value, help)->check(terminal::one_of(std::move(words)))->option_text(shown);
  };
  choice("--loss", command.loss, enum_names(SentenceLoss{}),
         "Of embed. ranking: two texts belong together, and no others of a step; cosine: a label from -1 to 1 is to be "
         "their cosine; distillation: a text has a --teacher's vector. Default: by --teacher and labels");
  verb.add_option("--negative-column", request.negative,
                  "Of embed: key or column of hard negatives, for ranking: a text for each row that its first text "
                  "should not find. Default: none")
      ->option_text("NAME");
  verb.add_option("--teacher", request.teacher,
                  "Of embed: a vector for each row of --train, as summand embed writes it")
      ->option_text("FILE.npy");
  verb.add_option("--valid-teacher", request.valid_teacher, "Likewise for the rows of --valid")
      ->option_text("FILE.npy");
  choice("--pooling", command.pooling, file_poolings(),
         "Of embed: how tokens become a vector. Default: the model's own, or mean");
  choice(
      "--activation", command.activation, dense_activations(),
      "Of embed: after the dense module that is added where a teacher's vectors have another width. Default: identity");
  verb.add_option("--scale", request.options.embed.scale, "Of embed: what multiplies cosines for ranking")
      ->option_text("X=20");
}

void add_course(CLI::App& verb, FinetuneRequest& request) {
  FinetuneOptions& options = request.options;
  CommandOptions add(verb);
  verb.add_option("--metric", options.metric,
                  "Score that decides which checkpoint is the best. Default: accuracy; of several labels micro_f1, of "
                  "numbers pearson, of spans span_f1, of passages average_precision; loss is one of all tasks")
      ->option_text("NAME");
  add.number("--patience", options.patience, 0, "Stop after N validations without a better score; 0: never");
  verb.add_option("--validate-every", options.validate_every, "Steps between validations. Default: an epoch")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  verb.add_option("--checkpoint-every", request.checkpoint_every, "Steps between checkpoints. Default: each validation")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  add.number("--log-every", request.log_every, 1, "Steps between lines of metrics.jsonl");
  add.seed_and_threads(options.seed, request.threads);
}

}  // namespace

CLI::App* add_finetune_command(CLI::App& program, FinetuneCommand& command) {
  auto* verb = program.add_subcommand("finetune", "Train a model on labelled texts");
  FinetuneRequest& request = command.request;
  std::vector<std::string> tasks;
  for (const auto& entry : enum_names(FinetuneTask{})) tasks.emplace_back(entry.name);
  verb->add_option(
          "--task", command.task,
          "What the model learns. classify: a text's label; pair: that of two texts; regress: a number; tag: a "
          "label for each word; rank: how relevant a passage is to a query, 0 to 1; embed: "
          "sentence vectors")
      ->required()
      ->check(terminal::one_of(tasks))
      ->option_text(fmt::format("{} REQUIRED", fmt::join(tasks, "|")));
  verb->add_option("--model", request.model, "A checkpoint to begin with, or a model's name")
      ->required()
      ->option_text("DIR REQUIRED");
  add_files(*verb, request);
  verb->add_option("-o,--output", request.out, "Folder of the run")->required()->option_text("RUN REQUIRED");
  auto* resume =
      verb->add_flag("--resume", request.resume, "Continue the run in this folder; begin it if there is none");
  verb->add_flag("--overwrite", request.overwrite, "Remove the run in this folder and begin anew")->excludes(resume);
  add_rows(*verb, command);
  add_learning(*verb, command);
  add_course(*verb, request);
  add_embed(*verb, command);
  verb->footer(
      "RUN/best and RUN/last are checkpoints that summand and transformers load. RUN/metrics.json has the scores with\n"
      "95 % intervals and those of simple baselines, RUN/predictions.jsonl the labels of --test and --predict,\n"
      "RUN/index.html curves, confusion and the worst mistakes. Ctrl-C saves the run, and --resume continues it.\n"
      "Example:\n"
      "  summand finetune --task classify --model DIR --train reviews.tsv --test held-out.tsv -o runs/reviews");
  return verb;
}

int run_finetune_command(FinetuneCommand& command, Ranks& ranks) {
  complete(command);
  notice_interruptions();
  ProgressReporter reporter;
  const RunReport report = finetune(command.request, ranks, [&](const RunNews& news) {
    if (ranks.is_first()) reporter.tell(news);
  });
  reporter.clear();
  if (!ranks.is_first()) return 0;
  if (const int status = tell_ending(report, command.request.out, "better score"); status != 0) return status;
  std::printf("%s/best: step %lld, validation score %.4f\n", command.request.out.c_str(),
              static_cast<long long>(report.state.best_step), report.state.best_score);
  return 0;
}

}  // namespace summand::train
