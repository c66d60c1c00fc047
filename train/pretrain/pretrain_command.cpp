#include "train/pretrain/pretrain_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "terminal/option_validators.hpp"
#include "train/run/command_options.hpp"
#include "train/run/progress_reporter.hpp"

namespace summand::train {

namespace {

/// "1,2,4" or "powers": 0, 1, 2, 4, … up to the last step.
std::vector<int64_t> kept_steps(const std::vector<std::string>& words, int64_t steps) {
  std::vector<int64_t> kept;
  for (const std::string& word : words) {
    if (word == "powers") {
      kept.push_back(0);
      for (int64_t step = 1; step < steps; step *= 2) {
        kept.push_back(step);
        if (step > steps / 2) break;
      }
      kept.push_back(steps);
      continue;
    }
    int64_t step = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), step);
    if (error != std::errc() || end != word.data() + word.size() || step < 0) {
      throw UsageError("--keep", fmt::format("expected steps or 'powers', got '{}'", printable(word)));
    }
    kept.push_back(step);
  }
  return kept;
}

void complete(PretrainCommand& command) {
  PretrainRequest& request = command.request;
  PretrainOptions& options = request.options;
  if (request.config.empty() == request.init.empty()) {
    throw UsageError("command line",
                     fmt::format("expected either --config or --init, got {}; see summand pretrain --help",
                                 request.config.empty() ? "neither" : "both"));
  }
  if (request.init.empty() && request.tokenizer.empty()) {
    throw UsageError("command line", "expected --tokenizer with --config, got none; see summand pretrain --help");
  }
  const Enlargement& larger = request.enlargement;
  if (request.init.empty() && (larger.positions || larger.segments)) {
    throw UsageError("command line",
                     "expected --init with --positions and --segment-rows, got --config; a configuration says its own");
  }
  if (command.new_rows_option->count() > 0 && !larger.positions && !larger.segments) {
    throw UsageError("command line", "expected --positions or --segment-rows with --new-rows, got neither");
  }
  set(request.enlargement.rows, command.new_rows);
  set(options.start, command.start);
  if (request.config.empty() && options.start != FirstValues::drawn) {
    throw UsageError("command line", "expected --config with --start, got --init; a checkpoint has its values");
  }
  options.phases = parse_phases(command.length);
  request.length_is_default = command.length_option->count() == 0;
  set(options.pairs, command.pairs);
  set(options.masks.selection, command.selection);
  set(options.masks.unit, command.unit);
  options.masks.corrupt_rate = command.corrupt_rate.value_or(options.masks.predict_rate);
  if (options.masks.selection == Selection::windows && command.rates_given()) {
    throw UsageError(
        "command line",
        "expected --mask-window alone with --mask-selection windows, got a rate too: it is one over the width");
  }
  if (!command.split.empty()) {
    if (command.split.size() != 2) {
      throw UsageError("--mask-split", fmt::format("expected two shares, got {}", command.split.size()));
    }
    options.masks.mask_share = command.split[0];
    options.masks.random_share = command.split[1];
  }
  set(options.segments, command.segments);
  set(options.learning.schedule, command.schedule);
  set(options.precision, command.precision);
  request.cuda = command.device == "cuda";
  request.keep = kept_steps(command.keep, options.learning.steps);
  request.command = quoted_command(command.words);
}

}  // namespace

bool PretrainCommand::rates_given() const {
  return corrupt_rate || (mask_rate != nullptr && mask_rate->count() > 0);
}

CLI::App* add_pretrain_command(CLI::App& program, PretrainCommand& command) {
  auto* verb = program.add_subcommand("pretrain", "Train a model on texts: masked tokens, and pairs of texts");
  PretrainRequest& request = command.request;
  PretrainOptions& options = request.options;
  MaskRules& masks = options.masks;
  verb->add_option("texts", request.texts,
                   "Files of texts: .txt with a sentence per line and a blank line between documents, or .jsonl, .csv "
                   "or .tsv with a document per record; also with .gz or .zst")
      ->required()
      ->option_text("FILES REQUIRED");
  verb->add_option("--valid", request.valid, "Files of texts for validation, which are not trained on")
      ->required()
      ->option_text("FILES REQUIRED");
  verb->add_option("--field", request.fields.text, "Key or column of the texts, if it is not text")
      ->option_text("NAME");
  verb->add_option("--pair-field", request.fields.text_pair,
                   "Key or column of the texts that follow them in the document, if it is not text_pair")
      ->option_text("NAME");
  verb->add_option(
          "--tokenizer", request.tokenizer,
          "Folder of a tokenizer, as summand vocab makes it, or of a model. Default with --init: the checkpoint's own")
      ->option_text("DIR");
  verb->add_option("--config", request.config, "The model's config.json; vocab_size may be left to the tokenizer")
      ->option_text("FILE");
  verb->add_option("--start", command.start,
                   "With --config: its first values. drawn: by --seed; sum: likewise, but a concatenation with a "
                   "projection, a gate or a joint table begins as the sum of the same rows; redrawn: by another seed, "
                   "while texts and masks stay those of --seed")
      ->check(terminal::one_of({"drawn", "sum", "redrawn"}))
      ->option_text("drawn|sum|redrawn=drawn");
  verb->add_option("--init", request.init, "A checkpoint to continue with, or a model's name, instead of --config")
      ->option_text("DIR");
  verb->add_option("--positions", request.enlargement.positions, "With --init: lengthen the position table to N rows")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  verb->add_option("--segment-rows", request.enlargement.segments, "With --init: lengthen the segment table to N rows")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  CommandOptions add(*verb);
  command.new_rows_option = add.new_rows(command.new_rows);
  verb->add_option("-o,--output", request.out, "Folder of the run")->required()->option_text("RUN REQUIRED");
  verb->add_flag("--resume", request.resume, "Continue the run in this folder; begin it if there is none");
  add.number("--steps", options.learning.steps, 1, "Number of steps");
  add.number("--batch-tokens", options.batch_tokens, 1,
             "At most N tokens per batch; texts are packed, without padding");
  add.number("--accumulate", options.accumulate, 1, "Batches per step");
  command.length_option = verb->add_option("--length", command.length,
                                           "At most N tokens per sequence; or N:SHARE,N:SHARE, each for its share of "
                                           "the steps. Default: 128, or the model's positions if fewer")
                              ->option_text("N=128");
  add.real("--short-share", options.short_share, "Share of the sequences that are shorter, of any length");
  add.choice(
      "--pairs", command.pairs, Pairs{},
      "What the second text of a pair is. next_sentence: what follows, or a text of another document, in half of the "
      "pairs or, if texts of one sentence have nothing that follows, in more. sentence_order: what follows, swapped in "
      "half of the pairs");
  add.choice(
      "--segments", command.segments, Segments{},
      "Which tokens have segment 1. pair: the second text's; parity: those of every second sentence; none: none");
  verb->add_flag("--random-start", options.random_start, "Let positions start anywhere that the sequence fits");
  command.mask_rate = verb->add_option("--mask-rate", masks.predict_rate,
                                       "Share of the texts' own tokens to predict; [CLS] and [SEP] do not count")
                          ->option_text("X=0.15");
  verb->add_option("--corrupt-rate", command.corrupt_rate,
                   "Share of the texts' own tokens to corrupt. Default: those that are predicted. If it is smaller, a "
                   "sequence is used several times, each time with a part of them")
      ->option_text("X");
  add.choice("--mask-selection", command.selection, Selection{},
             "How tokens are drawn. exact: as many as the rate says; independent: each by itself; windows: one of each "
             "--mask-window tokens");
  add.number("--mask-window", masks.window, 1, "Tokens per window of --mask-selection windows");
  add.choice(
      "--mask-unit", command.unit, MaskUnit{},
      "What is masked at once. token: one token; word: a word of several pieces; spaced: whatever spaces separate");
  verb->add_option("--mask-split", command.split,
                   "Of the corrupted tokens, the share that becomes [MASK] and the share that becomes a random token; "
                   "the rest stay")
      ->delimiter(',')
      ->option_text("X,X=0.8,0.1");
  add.real("--learning-rate", options.learning.learning_rate, "Largest learning rate");
  add.number("--warmup", options.learning.warmup, 0, "Steps in which the learning rate rises");
  add.choice("--schedule", command.schedule, Schedule{}, "How the learning rate falls after that");
  add.learning(options.learning);
  add.choice("--precision", command.precision, Precision{}, "Number format of matrix products");
  verb->add_option("--device", command.device, "Where to compute")
      ->check(terminal::one_of({"cpu", "cuda"}))
      ->option_text("cpu|cuda=cpu");
  add.number("--validate-every", options.validate_every, 1, "Steps between validations");
  add.number("--valid-sequences", options.valid_sequences, 1, "At most N sequences of the validation texts");
  verb->add_option(
          "--valid-length", options.valid_length,
          "At most N tokens per validation sequence. Default: the training length with the largest share of steps")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  add.number("--patience", options.patience, 0, "Stop after N validations without a lower loss; 0: never");
  add.number("--log-every", request.log_every, 1, "Steps between lines of metrics.jsonl");
  add.number("--checkpoint-every", request.checkpoint_every, 1, "Steps between checkpoints");
  verb->add_option("--keep", command.keep, "Steps whose checkpoints stay: numbers, or powers (0, 1, 2, 4, ...)")
      ->delimiter(',')
      ->option_text("N,N");
  verb->add_option("--tokens", request.tokens,
                   "Folder for tokenized texts, shared by several runs; default: RUN/tokens")
      ->option_text("DIR");
  add.seed_and_threads(options.seed, request.threads);
  verb->footer(
      "RUN/best and RUN/last are checkpoints. Ctrl-C saves the run, and --resume continues it.\n"
      "Example:\n"
      "  summand pretrain corpus.txt --valid held-out.txt --tokenizer my-tokenizer --config config.json -o runs/first");
  return verb;
}

int run_pretrain_command(PretrainCommand& command, Ranks& ranks) {
  complete(command);
  notice_interruptions();
  ProgressReporter reporter;
  const RunReport report = pretrain(command.request, ranks, [&](const RunNews& news) {
    if (ranks.is_first()) reporter.tell(news);
  });
  reporter.clear();
  if (!ranks.is_first()) return 0;
  if (const int status = tell_ending(report, command.request.out, "lower loss"); status != 0) return status;
  std::printf("%s/best: step %lld, validation loss %.4f\n", command.request.out.c_str(),
              static_cast<long long>(report.state.best_step), report.state.best_score);
  return 0;
}

}  // namespace summand::train
