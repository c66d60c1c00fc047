#include "summand/fold.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "api/base_names.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "cli/whole_output.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

namespace {

struct FoldRequest {
  CommonOptions common;
  ModelOptions model;
  std::string out;
};

void print(const FoldReport& report) {
  fmt::print("composition {}, positions {}: folded into the sum of three tables, in {}\n", report.composition,
             report.positions, report.out.string());
  fmt::print("{} parameters became {}\n", report.parameters_before, report.parameters_after);
  const char* const now = report.is_bert ? "It is a plain BERT now: other programs run it."
                                         : "It is no plain BERT: `summand inspect` says what else it has.";
  fmt::print("{}\n", now);
}

nlohmann::ordered_json to_json(const FoldReport& report) {
  return {{"directory", report.directory.string()},
          {"out", report.out.string()},
          {"composition", report.composition},
          {"positions", report.positions},
          {"parameters_before", report.parameters_before},
          {"parameters_after", report.parameters_after},
          {"is_bert", report.is_bert},
          {"notices", report.notices}};
}

void run(const FoldRequest& options) {
  const auto report =
      written_whole([&] { return fold(options.model.name, options.out, {.on_step = api::check_interruption}); });
  for (const auto& notice : report.notices) terminal::print_to_stderr("{}", notice);
  if (options.common.json) {
    print_json(to_json(report));
  } else {
    print(report);
  }
}

}  // namespace

void add_fold(CLI::App& program) {
  auto* verb = program.add_subcommand("fold", "Write a checkpoint whose input is the plain sum of three tables");
  const auto options = std::make_shared<FoldRequest>();
  add_model(*verb, options->model);
  verb->add_option("-o,--output", options->out, "The directory to write: new or empty")->required();
  add_common(*verb, options->common);
  verb->footer(
      "For models that compose their input by one linear map of each row, such as concatenate_project, or that "
      "compute\n"
      "their positions: three new tables, added, give the same vectors. Tokenizer and sentence modules are copied.\n"
      "Example:\n"
      "  summand fold --model DIR -o DIR-folded");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
