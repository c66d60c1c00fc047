#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/exec_program.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

void add_pretrain(CLI::App& program) {
  auto* verb = program.add_subcommand("pretrain", "Train a model on texts: masked tokens, and pairs of texts");
  verb->prefix_command();
  verb->set_help_flag();  // summand-train has its own
  verb->callback([verb] {
    std::vector<std::string> words = verb->remaining();
    words.insert(words.begin(), "pretrain");
    // libtorch's threads wait for each other: spinning would take time from other processes.
    ::setenv("OMP_WAIT_POLICY", "passive", 0);
    exec_program("summand-train", words,
                 "is not built: 'make train' builds it, on libtorch 2.13 (torch==2.13.0 of PyPI)");
  });
}

}  // namespace summand::cli
