#include <CLI/CLI.hpp>

#include "cli/exec_program.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

void add_lab(CLI::App& program) {
  auto* verb = program.add_subcommand(
      "lab", "Judge every claim about the sum on a checkpoint, with a null and a positive control");
  verb->prefix_command();
  verb->set_help_flag();  // summand-lab has its own
  verb->callback([verb] { exec_program("summand-lab", verb->remaining()); });
}

}  // namespace summand::cli
