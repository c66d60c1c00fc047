#include "cli/training_verb.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

void add_pretrain(CLI::App& program) {
  add_training_verb(program, "pretrain", "Train a model on texts: masked tokens, and pairs of texts");
}

}  // namespace summand::cli
