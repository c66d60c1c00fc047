#include "terminal/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "terminal/option_validators.hpp"

namespace summand::terminal {

namespace {

/// Unsigned numbers must be whole numbers; a comma-separated list takes one argument.
void add_checks(CLI::Option& option) {
  if (option.get_type_name() == "UINT") option.check(whole_number(0));
  if (option.get_delimiter() != '\0') option.allow_extra_args(false);
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

/// The names of all options, with dashes.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// The nearest option, else the first with this prefix: --output for --out, --model for -m.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::string nearest = word.size() == 2 ? "" : did_you_mean(word, names);
  if (!nearest.empty()) return nearest;
  const std::string beginning = word.starts_with("--") ? word : "-" + word;
  const auto found = std::ranges::find_if(names, [&](const auto& name) { return name.starts_with(beginning); });
  return found == names.end() ? "" : fmt::format("; did you mean '{}'?", *found);
}

std::string no_such_option(const CLI::App& app, const std::string& whole) {
  const std::string word = whole.substr(0, whole.find('='));
  return fmt::format("no option '{}'{}", printable(word), suggestion(word, option_names(app)));
}

std::vector<std::string> verb_names(const CLI::App& program) {
  std::vector<std::string> verbs;
  for (const auto* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
  }
  return verbs;
}

/// Message for an argument before any verb.
std::string verb_error(const CLI::App& program, const std::string& word) {
  if (is_option(word)) return fmt::format("expected a verb first, got '{}'", printable(word));
  return fmt::format("no verb '{}'{}", printable(word), did_you_mean(word, verb_names(program)));
}

/// Message for a verb's unknown arguments: about the first option, else the first argument.
std::string word_error(const CLI::App& verb, const std::vector<std::string>& words) {
  const auto option = std::ranges::find_if(words, is_option);
  if (option != words.end()) return no_such_option(verb, *option);
  std::error_code unknown;
  const bool is_model = std::filesystem::is_directory(words.front(), unknown) && verb.get_option_no_throw("--model");
  return fmt::format("expected no more words, got '{}'{}", printable(words.front()),
                     is_model ? "; a model is given by --model" : did_you_mean(words.front(), verb_names(verb)));
}

/// Whether the parser met unknown arguments, or misses some.
bool is_word_error(const CLI::ParseError& error) {
  return dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ||
         dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
         dynamic_cast<const CLI::Success*>(&error) != nullptr;  // help about no verb
}

/// The option without a value, from "--seed: 1 required UINT missing"; else empty.
std::string name_without_value(const CLI::ParseError& error) {
  const std::string message = error.what();
  const bool lacks_one = dynamic_cast<const CLI::ArgumentMismatch*>(&error) && message.ends_with(" missing");
  return lacks_one ? message.substr(0, message.find(':')) : "";
}

}  // namespace

std::vector<std::string> command_words(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.insert(words.begin() + (words.empty() ? 0 : 1), "--help");
  }
  return words;
}

void add_option_checks(CLI::App& program) {
  for (auto* option : program.get_options()) add_checks(*option);
  for (auto* verb : program.get_subcommands([](CLI::App*) { return true; })) add_option_checks(*verb);
}

std::string verb_complaint(const CLI::App& verb, const CLI::ParseError& error) {
  const auto words = verb.remaining();
  if (const auto name = name_without_value(error); !name.empty()) return name + ": expected a value, got none";
  return is_word_error(error) && !words.empty() ? word_error(verb, words) : error.what();
}

std::string complaint(const CLI::App& program, const CLI::ParseError& error) {
  const auto verbs = program.get_subcommands();
  if (program.get_subcommands([](const CLI::App*) { return true; }).empty()) {
    const auto name = program.get_name();
    return fmt::format("{}: {}; see {} --help", name.substr(name.rfind(' ') + 1), verb_complaint(program, error), name);
  }
  const auto before = program.remaining();
  if (is_word_error(error) && !before.empty()) return verb_error(program, before.front()) + "; see summand --help";
  if (verbs.empty()) return "expected a verb, got none; see summand --help";
  const CLI::App& verb = *verbs.front();
  return fmt::format("{}: {}; see summand {} --help", verb.get_name(), verb_complaint(verb, error), verb.get_name());
}

}  // namespace summand::terminal
