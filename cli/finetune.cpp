#include "cli/training_verb.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

void add_finetune(CLI::App& program) {
  add_training_verb(program, "finetune", "Train a model on labelled texts");
}

}  // namespace summand::cli
