#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "api/hidden_states.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

namespace {

struct Options {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  LengthFlags length;
  std::string out;
  std::vector<size_t> layers;
};

/// None: all.
std::optional<std::vector<size_t>> layers_asked(const Options& options) {
  if (options.layers.empty()) return std::nullopt;
  return options.layers;
}

void run(const Options& options) {
  InputTexts texts(options.input);
  const auto model = load(options.model, options.common);
  const api::HiddenOptions hidden{.length = length_options(options.length), .layers = layers_asked(options)};
  const auto report = api::write_hidden_states(model, texts.rest(), hidden, options.out);
  report_notices(model);
  report_unknown(report.count);
  report_cut(report.count.texts_cut, report.count.texts, hidden.length.max_length.value_or(model.position_limit()));
  if (options.common.json) {
    const nlohmann::ordered_json json{{"out", options.out},
                                      {"texts", report.count.texts},
                                      {"tokens", report.count.tokens},
                                      {"texts_cut", report.count.texts_cut},
                                      {"layers", report.layers}};
    print_json(json);
    return;
  }
  fmt::print(stderr, "summand: {} texts, {} tokens, {} hidden states in {}\n", report.count.texts, report.count.tokens,
             report.layers.size(), options.out);
}

}  // namespace

void add_hidden(CLI::App& program) {
  auto* verb = program.add_subcommand("hidden", "Hidden states of every token, as a safetensors file");
  const auto options = std::make_shared<Options>();
  add_model(*verb, options->model);
  add_precision(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  verb->add_option("-o,--output", options->out, "OUT.safetensors")->required();
  verb->add_option("--layers", options->layers, "Hidden states to keep, as in 0,6; all where not given")
      ->delimiter(',');
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand hidden --model DIR sentences.txt -o states.safetensors --layers 0,6");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
