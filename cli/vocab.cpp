#include "summand/vocab.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/base_names.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "cli/whole_output.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/status_line.hpp"

namespace summand::cli {

namespace {

struct VocabRequest {
  CommonOptions common;
  InputOptions input;
  std::string out;
  size_t size = 0;
  std::string mode = "likelihood";
  bool cased = false;
  std::optional<uint64_t> min_count = {};
  std::optional<size_t> alphabet = {};
};

VocabOptions learning_options(const VocabRequest& request) {
  return {.size = request.size,
          .rule = request.mode == "frequency" ? MergeRule::frequency : MergeRule::likelihood,
          .lowercase = request.cased ? Lowercase::no : Lowercase::yes,
          .min_count = request.min_count,
          .alphabet = request.alphabet,
          .threads = request.common.threads};
}

std::string status(const VocabProgress& progress, size_t size) {
  if (progress.tokens == 0) return fmt::format("{} texts, {} words", progress.texts, progress.words);
  return fmt::format("{} words counted, {} of {} tokens", progress.words, progress.tokens, size);
}

VocabReport learn(const VocabRequest& request) {
  InputTexts texts(request.input);
  terminal::StatusLine line;
  VocabOptions options = learning_options(request);
  options.on_step = [&](const VocabProgress& progress) {
    api::check_interruption();
    if (line.is_due()) line.show(status(progress, request.size));
  };
  return learn_vocabulary([&texts]() -> std::optional<Text> { return texts.next(); }, request.out, options);
}

void print(const VocabReport& report) {
  fmt::print("{} of {}, {} of them different, made {} in {}\n", terminal::counted(report.words, "word"),
             terminal::counted(report.texts, "text"), report.distinct_words, terminal::counted(report.tokens, "token"),
             report.out.string());
  fmt::print("vocab.txt, tokenizer.json and tokenizer_config.json: `summand tokenize --model {}` reads them\n",
             report.out.string());
}

nlohmann::ordered_json to_json(const VocabReport& report) {
  return {{"out", report.out.string()},      {"texts", report.texts},
          {"words", report.words},           {"distinct_words", report.distinct_words},
          {"characters", report.characters}, {"characters_left_out", report.characters_left_out},
          {"tokens", report.tokens}};
}

void run(const VocabRequest& request) {
  const auto report = written_whole([&] { return learn(request); });
  if (report.characters_left_out > 0) {
    terminal::print_to_stderr("{} had no room in the alphabet of {}: words with them are [UNK]",
                              terminal::counted(report.characters_left_out, "rarer character"), report.characters);
  }
  if (report.tokens < request.size) {
    terminal::print_to_stderr("the texts gave {}, fewer than the {} asked for: no pair of pieces occurs {} any more",
                              terminal::counted(report.tokens, "token"), request.size,
                              terminal::counted(request.min_count.value_or(2), "time"));
  }
  if (request.common.json) {
    print_json(to_json(report));
  } else {
    print(report);
  }
}

}  // namespace

void add_vocab(CLI::App& program) {
  auto* verb = program.add_subcommand("vocab", "Learn a WordPiece vocabulary from texts and write a tokenizer");
  const auto options = std::make_shared<VocabRequest>();
  add_input(*verb, options->input);
  verb->add_option("-o,--output", options->out, "The directory to write: new or empty")->required();
  verb->add_option("--size", options->size, "Tokens of the vocabulary, the five special ones included")
      ->required()
      ->check(terminal::whole_number(1))
      ->option_text("N REQUIRED");
  verb->add_option("--mode", options->mode,
                   "Which two pieces are merged next. likelihood: the pair with the largest count(ab) / (count(a) * "
                   "count(b)). frequency: the most frequent pair, as WordPieceTrainer of tokenizers does")
      ->check(terminal::one_of({"likelihood", "frequency"}))
      ->option_text("MODE=likelihood");
  verb->add_flag("--cased", options->cased, "Keep case and accents; without it letters lose both");
  verb->add_option(
          "--min-count", options->min_count,
          "Do not merge pairs that occur fewer than N times. Default: 2 by frequency; by likelihood, which prefers "
          "rare pieces, the count of the most frequent pair, halved whenever no pair is left, down to 2")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  verb->add_option("--alphabet", options->alphabet, "Keep only the N most frequent characters; default: all")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  add_common(*verb, options->common);
  verb->footer(
      "OUT has vocab.txt, tokenizer.json and tokenizer_config.json. Ids: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3,\n"
      "[MASK] 4, then the characters, those behind ##, and the merged pieces. Chinese characters are words of their\n"
      "own, as in BERT.\n"
      "Example:\n"
      "  summand vocab corpus.txt -o my-tokenizer --size 30000 --mode frequency");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
