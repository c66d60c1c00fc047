#include "lab/plant_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string>

#include "api/base_names.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "terminal/option_validators.hpp"

namespace summand::lab {

namespace {

std::string complaint_of_number(const std::string& word) {
  double number = 0;
  const char* end = word.data() + word.size();
  const auto [at, failure] = std::from_chars(word.data(), end, number);
  const bool is_number = failure == std::errc() && at == end;
  if (is_number && std::isfinite(number)) return "";
  return fmt::format("expected a {}number, got {}", is_number ? "finite " : "", api::printable(word));
}

void add_value(CLI::App& verb, const std::string& name, std::optional<std::string>& value, const char* help) {
  verb.add_option(name, value, help);
}
void add_value(CLI::App& verb, const std::string& name, std::optional<size_t>& value, const char* help) {
  verb.add_option(name, value, help)->check(terminal::whole_number(0));
}
void add_value(CLI::App& verb, const std::string& name, std::optional<double>& value, const char* help) {
  verb.add_option(name, value, help)->check(CLI::Validator(complaint_of_number, "", "number"));
}

}  // namespace

CLI::App* add_plant_command(CLI::App& program, PlantCommand& command) {
  auto* verb = program.add_subcommand("plant",
                                      "Write a position table or a checkpoint with a known truth\n"
                                      "Example: summand lab plant ring -o ring --turns 90");
  auto& request = command.request;
  verb->add_option("kind", request.kind, "What to plant; see --list");
  verb->add_option("-o,--output", request.out, "The folder to write: new or empty");
  verb->add_option("--seed", request.seed, "Seed of every random draw (default: 0)")->check(terminal::whole_number(0));
  verb->add_flag("--list", command.list, "List the kinds, with the options that each reads");
  visit_plant_options(
      [&](const char* name, auto field, const char* help) { add_value(*verb, name, request.options.*field, help); });
  return verb;
}

std::string run_plant_command(const PlantCommand& command) {
  if (command.list) return plant_kinds_text();
  if (command.request.kind.empty()) {
    throw api::UsageError("KIND", "expected what to plant, got none; see 'summand lab plant --list'");
  }
  if (command.request.out.empty()) throw api::UsageError("--output", "expected a folder to write to, got none");
  end_when_interrupted(fmt::format(
      "interrupted; nothing was kept; {} may have a folder .part beside it, which the same command takes over",
      path_text(command.request.out)));
  return plant_truth(command.request);
}

}  // namespace summand::lab
