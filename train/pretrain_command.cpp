#include "train/pretrain_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "terminal/duration.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/status_line.hpp"

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

/// What CLI11 has checked to be one of the names.
template <class Enum>
void set(Enum& value, const std::string& name) {
  value = model::value_named<Enum>(name).value();
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
  for (const std::string& word : command.words) {
    const bool plain = word.find_first_of(" \t\n'\"\\$&;|<>()*?") == std::string::npos;
    request.command += (request.command.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
}

/// Tells a run on the terminal: a line that is rewritten, and a line for each validation.
class ProgressReporter {
 public:
  explicit ProgressReporter(int64_t steps) : steps_(steps) {}

  void tell(const RunNews& news) {
    switch (news.kind) {
      case RunNews::Kind::tokens:
        if (line_.is_due()) line_.show("tokenizing: " + news.text);
        break;
      case RunNews::Kind::notice:
        line_.clear();
        terminal::print_to_stderr("{}", news.text);
        break;
      case RunNews::Kind::begins:
        line_.clear();
        if (news.state->progress.step > 0)
          terminal::print_to_stderr("continues after step {} of {}", news.state->progress.step, steps_);
        break;
      case RunNews::Kind::step:
        if (line_.is_due()) {
          line_.show(fmt::format("step {} of {}, loss {:.3f}, {:.0f} tokens/s, {} left", news.state->progress.step,
                                 steps_, news.loss, news.tokens_per_second,
                                 terminal::duration_text(news.seconds_left)));
        }
        break;
      case RunNews::Kind::validation:
        line_.clear();
        std::printf("%s\n", news.text.c_str());
        std::fflush(stdout);
        break;
      case RunNews::Kind::saved:
        break;
    }
  }
  void clear() { line_.clear(); }

 private:
  int64_t steps_;
  terminal::StatusLine line_;
};

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
  verb->add_option("--init", request.init, "A checkpoint to continue with, or a model's name, instead of --config")
      ->option_text("DIR");
  verb->add_option("--positions", request.enlargement.positions, "With --init: lengthen the position table to N rows")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  verb->add_option("--segment-rows", request.enlargement.segments, "With --init: lengthen the segment table to N rows")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  command.new_rows_option = verb->add_option("--new-rows", command.new_rows,
                                             "How new rows are made. tiled: the table again and again; copied: its "
                                             "last row; hierarchical: each of two of its rows")
                                ->check(terminal::one_of({"tiled", "copied", "hierarchical"}))
                                ->option_text("tiled|copied|hierarchical=tiled");
  verb->add_option("-o,--output", request.out, "Folder of the run")->required()->option_text("RUN REQUIRED");
  verb->add_flag("--resume", request.resume, "Continue the run in this folder; begin it if there is none");
  const auto number = [&](const char* name, auto& value, uint64_t least, const char* help) {
    verb->add_option(name, value, help)->check(terminal::whole_number(least))->option_text(fmt::format("N={}", value));
  };
  const auto real = [&](const char* name, double& value, const char* help) {
    verb->add_option(name, value, help)->option_text(fmt::format("X={}", value));
  };
  const auto choice = [&]<class Enum>(const char* name, std::string& value, Enum, const char* help) {
    std::vector<std::string> words;
    for (const auto& entry : enum_names(Enum{})) words.emplace_back(entry.name);
    const std::string shown = fmt::format("{}={}", fmt::join(words, "|"), value);
    return verb->add_option(name, value, help)->check(terminal::one_of(std::move(words)))->option_text(shown);
  };
  number("--steps", options.learning.steps, 1, "Number of steps");
  number("--batch-tokens", options.batch_tokens, 1, "At most N tokens per batch; texts are packed, without padding");
  number("--accumulate", options.accumulate, 1, "Batches per step");
  command.length_option = verb->add_option("--length", command.length,
                                           "At most N tokens per sequence; or N:SHARE,N:SHARE, each for its share of "
                                           "the steps. Default: 128, or the model's positions if fewer")
                              ->option_text("N=128");
  real("--short-share", options.short_share, "Share of the sequences that are shorter, of any length");
  choice(
      "--pairs", command.pairs, Pairs{},
      "What the second text of a pair is. next_sentence: what follows, or a text of another document, in half of the "
      "pairs or, if texts of one sentence have nothing that follows, in more. sentence_order: what follows, swapped in "
      "half of the pairs");
  choice("--segments", command.segments, Segments{},
         "Which tokens have segment 1. pair: the second text's; parity: those of every second sentence; none: none");
  verb->add_flag("--random-start", options.random_start, "Let positions start anywhere that the sequence fits");
  command.mask_rate = verb->add_option("--mask-rate", masks.predict_rate,
                                       "Share of the texts' own tokens to predict; [CLS] and [SEP] do not count")
                          ->option_text("X=0.15");
  verb->add_option("--corrupt-rate", command.corrupt_rate,
                   "Share of the texts' own tokens to corrupt. Default: those that are predicted. If it is smaller, a "
                   "sequence is used several times, each time with a part of them")
      ->option_text("X");
  choice("--mask-selection", command.selection, Selection{},
         "How tokens are drawn. exact: as many as the rate says; independent: each by itself; windows: one of each "
         "--mask-window tokens");
  number("--mask-window", masks.window, 1, "Tokens per window of --mask-selection windows");
  choice("--mask-unit", command.unit, MaskUnit{},
         "What is masked at once. token: one token; word: a word of several pieces; spaced: whatever spaces separate");
  verb->add_option("--mask-split", command.split,
                   "Of the corrupted tokens, the share that becomes [MASK] and the share that becomes a random token; "
                   "the rest stay")
      ->delimiter(',')
      ->option_text("X,X=0.8,0.1");
  real("--learning-rate", options.learning.learning_rate, "Largest learning rate");
  number("--warmup", options.learning.warmup, 0, "Steps in which the learning rate rises");
  choice("--schedule", command.schedule, Schedule{}, "How the learning rate falls after that");
  real("--weight-decay", options.learning.adamw.weight_decay,
       "Weight decay of matrices; biases and normalisations do not decay");
  real("--beta1", options.learning.adamw.beta1, "AdamW: decay of the gradients' average");
  real("--beta2", options.learning.adamw.beta2, "AdamW: decay of the squared gradients' average");
  real("--epsilon", options.learning.adamw.epsilon, "AdamW: least divisor");
  real("--clip", options.learning.clip, "Largest norm of a step's gradient");
  choice("--precision", command.precision, Precision{}, "Number format of matrix products");
  verb->add_option("--device", command.device, "Where to compute")
      ->check(terminal::one_of({"cpu", "cuda"}))
      ->option_text("cpu|cuda=cpu");
  verb->add_option("--seed", options.seed, "Seed of every random draw")
      ->check(terminal::whole_number(0))
      ->option_text("N=0");
  number("--validate-every", options.validate_every, 1, "Steps between validations");
  number("--valid-sequences", options.valid_sequences, 1, "At most N sequences of the validation texts");
  verb->add_option(
          "--valid-length", options.valid_length,
          "At most N tokens per validation sequence. Default: the training length with the largest share of steps")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  number("--patience", options.patience, 0, "Stop after N validations without a lower loss; 0: never");
  number("--log-every", request.log_every, 1, "Steps between lines of metrics.jsonl");
  number("--checkpoint-every", request.checkpoint_every, 1, "Steps between checkpoints");
  verb->add_option("--keep", command.keep, "Steps whose checkpoints stay: numbers, or powers (0, 1, 2, 4, ...)")
      ->delimiter(',')
      ->option_text("N,N");
  verb->add_option("--tokens", request.tokens,
                   "Folder for tokenized texts, shared by several runs; default: RUN/tokens")
      ->option_text("DIR");
  verb->add_option("--threads", request.threads, "Threads; 0: as many as quota and affinity allow")
      ->check(terminal::whole_number(0, 1024))
      ->option_text("N=0");
  verb->footer(
      "RUN/best and RUN/last are checkpoints. Ctrl-C saves the run, and --resume continues it.\n"
      "Example:\n"
      "  summand pretrain corpus.txt --valid held-out.txt --tokenizer my-tokenizer --config config.json -o runs/first");
  return verb;
}

int run_pretrain_command(PretrainCommand& command) {
  complete(command);
  notice_interruptions();
  ProgressReporter teller(command.request.options.learning.steps);
  const RunReport report = pretrain(command.request, [&](const RunNews& news) { teller.tell(news); });
  teller.clear();
  const RunState& state = report.state;
  switch (report.ending) {
    case Ending::interrupted:
      terminal::print_to_stderr("interrupted; step {} is saved in {}; the same command with --resume goes on",
                                state.progress.step, command.request.out.string());
      return 128 + report.signal;
    case Ending::stopped_early:
      std::printf("stopped after step %lld: %lld validations without a lower loss\n",
                  static_cast<long long>(state.progress.step), static_cast<long long>(state.without_gain));
      break;
    case Ending::finished:
      break;
  }
  std::printf("%s/best: step %lld, validation loss %.4f\n", command.request.out.c_str(),
              static_cast<long long>(state.best_step), state.best_score);
  return 0;
}

}  // namespace summand::train
