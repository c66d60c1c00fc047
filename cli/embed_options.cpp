#include "cli/embed_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "api/base_names.hpp"
#include "api/options/option_names.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

void add_embed_flags(CLI::App& verb, EmbedFlags& flags) {
  std::vector<std::string> poolings;
  for (const auto& entry : api::poolings()) poolings.emplace_back(entry.name);
  verb.add_option("--pooling", flags.pooling,
                  "cls, mean, max, mean_sqrt_length, weighted_mean, last_token, last_four_mean or last_four_concat, "
                  "instead of the model's own; repeat it to concatenate several")
      ->check(terminal::one_of(poolings))
      ->option_text("WAY")
      ->allow_extra_args(false);
  verb.add_flag("--no-normalize", flags.no_normalize, "Leave out the normalisation at the end");
  verb.add_option("--dimensions", flags.dimensions, "Keep the first N coordinates")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  auto* name = verb.add_option("--prompt-name", flags.prompt_name,
                               "Put one of the model's prompts, by its name, before every text");
  verb.add_option("--prompt", flags.prompt, "Put this text before every text, instead of the model's default prompt")
      ->each([&flags](const std::string&) { flags.has_prompt = true; })
      ->excludes(name);
  add_length(verb, flags.length);
  add_windows(verb, flags.windows);
}

api::EmbedOptions embed_options(const EmbedFlags& flags) {
  api::EmbedOptions options;
  options.length = length_options(flags.length);
  options.windows = window_options(flags.windows);
  for (const auto& name : flags.pooling) options.pooling.push_back(api::pooling_named(name));
  if (flags.no_normalize) options.normalization = api::Normalization::none;
  if (flags.dimensions > 0) options.dimensions = flags.dimensions;
  if (flags.has_prompt) options.prompt = flags.prompt;
  if (!flags.prompt_name.empty()) options.prompt_name = flags.prompt_name;
  return options;
}

void report_length(const api::ReadCount& count, const api::Embedder& embedder, const EmbedFlags& flags) {
  if (window_options(flags.windows)) return report_windows(count.windows, count.texts);
  report_cut(count.texts_cut, count.texts, embedder.limit());
}

void report_fallback(const api::LoadedModel& model, const EmbedFlags& flags) {
  if (model.checkpoint().sentence.from_directory || !flags.pooling.empty()) return;
  terminal::print_to_stderr("the model has no modules.json: mean pooling, vectors not normalised");
}

void report_prompt(const api::LoadedModel& model, const api::Embedder& embedder, const EmbedFlags& flags,
                   std::string_view before) {
  if (flags.has_prompt && model.checkpoint().sentence.prompts.contains(flags.prompt)) {
    terminal::print_to_stderr("'{0}' is also the name of a prompt; --prompt-name {0} uses that", flags.prompt);
  }
  if (!embedder.prompt_name()) return;
  if (embedder.prompt().empty()) {
    if (!flags.prompt_name.empty())
      terminal::print_to_stderr("the model's prompt '{}' before {} is empty", flags.prompt_name, before);
    return;
  }
  terminal::print_to_stderr("the model's {}prompt '{}' stands before {}: '{}'",
                            flags.prompt_name.empty() ? "default " : "", printable(*embedder.prompt_name()), before,
                            printable(embedder.prompt()));
}

}  // namespace summand::cli
