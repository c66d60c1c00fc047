#pragma once

namespace CLI {
class App;
}

namespace summand::cli {

/// Adds a verb of summand-train, which has its options and its help.
/// @param name, description  outlive the program
void add_training_verb(CLI::App& program, const char* name, const char* description);

}  // namespace summand::cli
