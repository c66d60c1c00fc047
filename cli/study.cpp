#include "cli/training_verb.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

void add_study(CLI::App& program) {
  add_training_verb(program, "study", "Train models that differ in one thing, and compare them");
}

}  // namespace summand::cli
