#include <CLI/CLI.hpp>

#include "cli/exec_program.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

void add_serve(CLI::App& program) {
  auto* verb = program.add_subcommand("serve", "Serve models over HTTP, to clients of OpenAI, Cohere and TEI");
  verb->prefix_command();
  verb->set_help_flag();  // summand-serve has its own
  verb->callback([verb] { exec_program("summand-serve", verb->remaining(), "is not built: 'make build' builds it"); });
}

}  // namespace summand::cli
