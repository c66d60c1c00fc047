#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/exec_program.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

void add_lab(CLI::App& program) {
  auto* verb = program.add_subcommand(
      "lab", "Judge every claim about the sum on a checkpoint, with a null and a positive control");
  verb->prefix_command();
  verb->set_help_flag();  // summand-lab has its own
  verb->callback([verb] {
    auto words = verb->remaining();
    const auto live = std::ranges::find(words, "--live");
    if (live == words.end()) exec_program("summand-lab", words);
    // The same laboratory, a sentence at a time, on a page of the server's.
    words.erase(live);
    words.insert(words.begin(), {"--page", "on"});
    exec_program("summand-serve", words, "is not built: 'make build' builds it");
  });
}

}  // namespace summand::cli
