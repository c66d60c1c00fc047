#include "train/run/command_options.hpp"

#include "train/run/enlarge.hpp"

namespace summand::train {

void CommandOptions::learning(LearningOptions& options) {
  real("--weight-decay", options.adamw.weight_decay,
       "Weight decay of matrices; biases and normalisations do not decay");
  real("--beta1", options.adamw.beta1, "AdamW: decay of the gradients' average");
  real("--beta2", options.adamw.beta2, "AdamW: decay of the squared gradients' average");
  real("--epsilon", options.adamw.epsilon, "AdamW: least divisor");
  real("--clip", options.clip, "Largest norm of a step's gradient");
}

CLI::Option* CommandOptions::new_rows(std::string& value) {
  return choice("--new-rows", value, NewRows{},
                "How new rows are made. tiled: the table again and again; copied: its last row; hierarchical: each of "
                "two of its rows");
}

void CommandOptions::seed_and_threads(uint64_t& seed, int& threads) {
  verb_.add_option("--seed", seed, "Seed of every random draw")->check(terminal::whole_number(0))->option_text("N=0");
  verb_
      .add_option("--threads", threads,
                  "Threads of a process; 0: as many as quota and affinity allow, divided among the processes")
      ->check(terminal::whole_number(0, 1024))
      ->option_text("N=0");
}

std::string quoted_command(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) {
    const bool plain = word.find_first_of(" \t\n'\"\\$&;|<>()*?") == std::string::npos;
    command += (command.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return command;
}

}  // namespace summand::train
