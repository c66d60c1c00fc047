#include "api/inspection/verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/base_names.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "terminal/number_text.hpp"
#include "terminal/table.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

struct VerifyRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  LengthFlags length;
};

void print(const api::VerifyReport& report) {
  fmt::print("{}, {}; largest differences from the reference in double precision\n\n",
             terminal::counted(report.texts, "text"), terminal::counted(report.tokens, "token"));
  terminal::Table table({{"", terminal::Align::left, ""},
                         {"largest value", terminal::Align::right, ""},
                         {"engine", terminal::Align::right, ""},
                         {"reference in float", terminal::Align::right, ""},
                         {"allowed", terminal::Align::right, ""},
                         {"", terminal::Align::left, ""}});
  for (const auto& state : report.states) {
    table.add({state.name, terminal::fixed(state.magnitude, 3), fmt::format("{:.1e}", state.engine),
               fmt::format("{:.1e}", state.reference), fmt::format("{:.1e}", state.allowed()),
               state.agrees() ? "ok" : "NOT OK"});
  }
  table.print(stdout);
  fmt::print("\n{}\n", report.verdict());
}

nlohmann::ordered_json to_json(const api::VerifyReport& report) {
  nlohmann::ordered_json json{{"texts", report.texts}, {"tokens", report.tokens}};
  for (const auto& state : report.states) {
    json["states"].push_back({{"name", state.name},
                              {"largest_value", state.magnitude},
                              {"engine", state.engine},
                              {"reference_in_float", state.reference},
                              {"allowed", state.allowed()},
                              {"ok", state.agrees()}});
  }
  json["agrees"] = report.agrees();
  json["verdict"] = report.verdict();
  return json;
}

void run(const VerifyRequest& options) {
  std::vector<text::InputRecord> records;
  if (!options.input.is_empty()) records = InputTexts(options.input).rest();
  const auto model = load(options.model, options.common);
  const auto report = api::verify(model, records, length_options(options.length));
  report_notices(model);
  if (options.common.json) {
    print_json(to_json(report));
  } else {
    print(report);
  }
  if (!report.agrees()) throw api::Error("verify", report.verdict());
}

}  // namespace

void add_verify(CLI::App& program) {
  auto* verb = program.add_subcommand("verify", "Compare the engine with the reference, layer by layer");
  const auto options = std::make_shared<VerifyRequest>();
  add_model(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer(
      "Without INPUT and --text it uses its own texts: words, a pair, unknown words and Chinese, an empty text, a\n"
      "paragraph, and a text at the model's last positions. The reference is slow: about ten tokens of bert-base a\n"
      "second. The exit status is 1 if the two do not agree.\n"
      "Example:\n"
      "  summand verify --model DIR");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
