#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace summand::terminal {

/// The words behind the program's name; `help` and `help VERB` as `--help` and `VERB --help`.
[[nodiscard]] std::vector<std::string> command_words(int argc, const char* const* argv);

/// To be called once all verbs are there. Numbers are checked as whole numbers and complaints about them name no bound
/// that only a computer knows; a list with commas takes one word, and leaves the next to INPUT.
void add_option_checks(CLI::App& program);

/// What to say of the words of one verb that cannot be parsed: the first that no option is and the nearest that is one,
/// else the parser's reason.
/// @param verb  after it threw
[[nodiscard]] std::string verb_complaint(const CLI::App& verb, const CLI::ParseError& error);

/// What to say of a command line that cannot be parsed: the word that no verb or option is and the nearest that is one,
/// else the parser's reason; and where to read more.
/// @param program  after it threw
[[nodiscard]] std::string complaint(const CLI::App& program, const CLI::ParseError& error);

}  // namespace summand::terminal
