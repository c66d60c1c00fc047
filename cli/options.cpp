#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "api/base_names.hpp"
#include "api/options/option_names.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

void add_common(CLI::App& verb, CommonOptions& options) {
  verb.add_flag("--json", options.json, "Print JSON on standard output");
  verb.add_option("--threads", options.threads, "Threads; 0: as many as the container's quota and the affinity allow")
      ->check(terminal::whole_number(0, 1024))
      ->option_text("N=0");
}

void add_model(CLI::App& verb, ModelOptions& options) {
  verb.add_option("--model", options.name,
                  "A checkpoint directory, a bundled model's name, or a name in the local hub cache")
      ->required();
}

void add_engine(CLI::App& verb, ModelOptions& options) {
  options.precision.clear();
  verb.add_option(
          "--precision", options.precision,
          "Number format of the encoder's products. Default: fp32; for an 8-bit checkpoint int8, if the processor can. "
          "auto: int8 for an 8-bit checkpoint, else the fastest here of fp32, bf16 and fp16; it prints its choice. A "
          "format that this processor has no kernels for is an error; `info` shows those that run")
      ->check(terminal::one_of({"fp32", "bf16", "fp16", "int8", "auto"}))
      ->option_text("P");
  verb.add_option("--cache", options.cache,
                  "Keep the packed weights in this folder, the model's own or another, so that the next start maps "
                  "them; created if missing")
      ->option_text("DIR");
}

api::LoadedModel load(const ModelOptions& model, const CommonOptions& common) {
  const auto precision = model.precision.empty() ? Precision::of_checkpoint : api::precision_named(model.precision);
  api::LoadOptions options{.threads = common.threads, .precision = precision};
  if (model.cache && model.cache->empty()) throw api::UsageError("--cache", "expected a folder, got an empty name");
  if (model.cache) options.cache = *model.cache;
  return api::LoadedModel::load(model.name, options);
}

void report_tokenizer(const text::Tokenizer& tokenizer) {
  if (const auto& difference = tokenizer.difference()) terminal::print_to_stderr("{}", *difference);
}

void report_notices(const api::LoadedModel& model) {
  for (const auto& notice : model.checkpoint().notices) terminal::print_to_stderr("{}", notice);
  report_tokenizer(model.tokenizer());
  if (const auto notice = model.precision_notice()) terminal::print_to_stderr("{}", *notice);
  if (const auto& notice = model.cache_notice()) terminal::print_to_stderr("{}", *notice);
}

void add_length(CLI::App& verb, LengthFlags& flags) {
  verb.add_option("--max-length", flags.max_length, "Cut texts at N tokens, special tokens included")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  verb.add_option("--truncation", flags.truncation,
                  "What stays of a long text. head, tail, head_tail: of a pair, the longer text is cut first. "
                  "longest_first, only_first, only_second: cut the end, or the beginning if the tokenizer's "
                  "truncation_side is left. none: a long text is an error")
      ->check(terminal::one_of({"head", "longest_first", "tail", "head_tail", "only_first", "only_second", "none"}))
      ->option_text("HOW=longest_first");
}

api::LengthOptions length_options(const LengthFlags& flags) {
  api::LengthOptions options;
  if (!flags.truncation.empty()) options.truncation = api::truncation_named(flags.truncation);
  if (flags.max_length > 0) options.max_length = flags.max_length;
  return options;
}

void report_repeated(const api::ReadCount& count) {
  if (count.texts_repeated == 0) return;
  terminal::print_to_stderr("{} of {} had the tokens of an earlier one and {} not computed again", count.texts_repeated,
                            terminal::counted(count.texts, "text"), count.texts_repeated == 1 ? "was" : "were");
}

void report_cut(size_t texts_cut, size_t texts, std::optional<size_t> limit) {
  if (texts_cut == 0) return;
  terminal::print_to_stderr("{} of {} {} cut{}", texts_cut, terminal::counted(texts, "text"),
                            texts_cut == 1 ? "was" : "were", limit ? " at " + terminal::counted(*limit, "token") : "");
}

}  // namespace summand::cli
