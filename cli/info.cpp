#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"
#include "summand/system_info.hpp"

namespace summand::cli {

void add_info(CLI::App& program) {
  auto* verb = program.add_subcommand("info", "Version, instruction set, libraries, threads: what a bug report needs");
  const auto common = std::make_shared<CommonOptions>();
  add_common(*verb, *common);
  verb->footer("Example:\n  summand info");
  verb->callback([common] {
    const auto rows = system_info(common->threads);
    if (!common->json) return print_pairs(stdout, "", rows);
    nlohmann::ordered_json json;
    for (const auto& [name, value] : rows) json[name] = value;
    print_json(json);
  });
}

}  // namespace summand::cli
