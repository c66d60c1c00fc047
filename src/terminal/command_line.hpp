#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace summand::terminal {

/// The arguments after the program's name, with `help` and `help VERB` rewritten as `--help` and `VERB --help`.
[[nodiscard]] std::vector<std::string> command_words(int argc, const char* const* argv);

/// Call it after adding all verbs. Unsigned numbers are checked by whole_number(). An option with a comma-separated
/// list takes one argument and leaves the next to INPUT.
void add_option_checks(CLI::App& program);

/// Message for a verb's arguments that cannot be parsed: the first unknown option or word and the nearest known one,
/// else the parser's own message.
/// @param verb  after it threw
[[nodiscard]] std::string verb_complaint(const CLI::App& verb, const CLI::ParseError& error);

/// Message for a command line that cannot be parsed: the unknown verb or option and the nearest known one, else the
/// parser's own message; and which --help to read.
/// @param program  after it threw
[[nodiscard]] std::string complaint(const CLI::App& program, const CLI::ParseError& error);

}  // namespace summand::terminal
