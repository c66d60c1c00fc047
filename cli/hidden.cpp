#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/inspection/hidden_states.hpp"
#include "api/outputs/record_ids.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/print_json.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "terminal/number_text.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

namespace {

struct HiddenRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  LengthFlags length;
  OutputFlags out;
  std::vector<size_t> layers;
};

/// None: all.
std::optional<std::vector<size_t>> layers_asked(const HiddenRequest& options) {
  if (options.layers.empty()) return std::nullopt;
  return options.layers;
}

void run(const HiddenRequest& options) {
  static constexpr std::array<std::string_view, 1> kEndings{".safetensors"};
  const auto out = checked_output(options.out, kEndings);
  refuse_input_as_output(options.input.paths, out);
  refuse_terminal(out, "a .safetensors");
  api::check_output(api::ids_path(out), {.endings = {}, .existing = options.out.existing()});
  InputTexts texts(options.input);
  const auto model = load(options.model, options.common);
  const api::HiddenOptions hidden{.length = length_options(options.length), .layers = layers_asked(options)};
  const auto records = texts.rest();
  const auto report = api::write_hidden_states(model, records, hidden, out);
  api::write_ids(api::record_ids(records), out);
  report_notices(model);
  report_unknown(report.count);
  report_cut(report.count.texts_cut, report.count.texts, hidden.length.max_length.value_or(model.position_limit()));
  if (options.common.json) {
    const nlohmann::ordered_json json{{"out", out},
                                      {"texts", report.count.texts},
                                      {"tokens", report.count.tokens},
                                      {"texts_cut", report.count.texts_cut},
                                      {"layers", report.layers}};
    print_json(json);
    return;
  }
  terminal::print_to_stderr("{}, {}, {} in {}", terminal::counted(report.count.texts, "text"),
                            terminal::counted(report.count.tokens, "token"),
                            terminal::counted(report.layers.size(), "hidden state"), out);
}

}  // namespace

void add_hidden(CLI::App& program) {
  auto* verb = program.add_subcommand("hidden", "Write the hidden states of every token, as a safetensors file");
  const auto options = std::make_shared<HiddenRequest>();
  add_model(*verb, options->model);
  add_engine(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_output(*verb, options->out, "OUT.safetensors, or - for standard output");
  verb->get_option("--output")->required();
  verb->add_option("--layers", options->layers, "Hidden states to keep, as in 0,6; default: all")->delimiter(',');
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand hidden --model DIR sentences.txt -o states.safetensors --layers 0,6");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
