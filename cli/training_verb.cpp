#include "cli/training_verb.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/exec_program.hpp"

namespace summand::cli {

void add_training_verb(CLI::App& program, const char* name, const char* description) {
  auto* verb = program.add_subcommand(name, description);
  verb->prefix_command();
  verb->set_help_flag();  // summand-train has its own
  verb->callback([verb, name] {
    std::vector<std::string> words = verb->remaining();
    words.insert(words.begin(), name);
    // libtorch's threads wait for each other at the end of every pass: some spinning saves waking them, much of it
    // would take time from other processes. Measured in docs/decisions/waiting-threads.md.
    if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "1000", 0);
    exec_program("summand-train", words,
                 "is not built: 'make train' builds it, on libtorch 2.13 (torch==2.13.0 of PyPI)");
  });
}

}  // namespace summand::cli
