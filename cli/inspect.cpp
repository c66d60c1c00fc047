#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "api/inspection/inspection.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "terminal/table.hpp"

namespace summand::cli {

namespace {

void print(const api::Inspection& inspection) {
  fmt::print("{}\n\n", inspection.directory);
  std::vector<std::pair<std::string, std::string>> config;
  for (const auto& row : inspection.config)
    config.emplace_back(row.name, row.value + (row.defaulted ? "  (default)" : ""));
  terminal::print_pairs(stdout, "configuration", config);

  fmt::print("\n");
  terminal::Table parts({{"parameters", terminal::Align::left, ""}, {"", terminal::Align::right, ""}});
  for (const auto& part : inspection.parts) parts.add({"  " + part.part, fmt::format("{}", part.parameters)});
  parts.add({"  all", fmt::format("{}", inspection.parameters)});
  if (inspection.in_8_bits > 0) parts.add({"  of these in 8 bits", fmt::format("{}", inspection.in_8_bits)});
  parts.print(stdout);

  fmt::print("\n");
  terminal::Table tables({{"row norms", terminal::Align::left, ""},
                          {"rows", terminal::Align::right, ""},
                          {"least", terminal::Align::right, ""},
                          {"mean", terminal::Align::right, ""},
                          {"largest", terminal::Align::right, ""},
                          {"mean, centred", terminal::Align::right, ""}});
  for (const auto& table : inspection.tables) {
    tables.add({"  " + table.table, std::to_string(table.rows), fmt::format("{:.3f}", table.least),
                fmt::format("{:.3f}", table.mean), fmt::format("{:.3f}", table.largest),
                fmt::format("{:.3f}", table.centred_mean)});
  }
  tables.print(stdout);

  fmt::print("\n");
  terminal::print_pairs(stdout, "sentence vectors", inspection.sentence);
  fmt::print("\n");
  terminal::print_pairs(stdout, "tokenizer", inspection.tokenizer);
  if (!inspection.notices.empty()) fmt::print("\nnotices\n");
  for (const auto& notice : inspection.notices) fmt::print("  {}\n", notice);
}

/// "token table" as a key: token_table.
std::string key_of(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// A number, a truth value or a list as such; anything else as a string.
nlohmann::ordered_json value_of(const std::string& text) {
  auto value = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? nlohmann::ordered_json(text) : value;
}

nlohmann::ordered_json to_json(const api::Inspection& inspection) {
  nlohmann::ordered_json json{{"directory", inspection.directory}};
  for (const auto& row : inspection.config) {
    json["configuration"][row.name] = {{"value", value_of(row.value)}, {"default", row.defaulted}};
  }
  for (const auto& part : inspection.parts) json["parameters"][key_of(part.part)] = part.parameters;
  json["parameters"]["all"] = inspection.parameters;
  json["parameters"]["in_8_bits"] = inspection.in_8_bits;
  for (const auto& table : inspection.tables) {
    json["row_norms"][key_of(table.table)] = {{"rows", table.rows},
                                              {"least", table.least},
                                              {"mean", table.mean},
                                              {"largest", table.largest},
                                              {"mean_centred", table.centred_mean}};
  }
  for (const auto& [name, value] : inspection.sentence) json["sentence_vectors"][key_of(name)] = value_of(value);
  for (const auto& [name, value] : inspection.tokenizer) json["tokenizer"][key_of(name)] = value_of(value);
  json["notices"] = inspection.notices;
  return json;
}

}  // namespace

void add_inspect(CLI::App& program) {
  auto* verb =
      program.add_subcommand("inspect", "Show the configuration, parameters by part and norms of the three tables");
  const auto common = std::make_shared<CommonOptions>();
  const auto model = std::make_shared<ModelOptions>();
  add_model(*verb, *model);
  add_common(*verb, *common);
  verb->footer("Example:\n  summand inspect --model DIR");
  verb->callback([common, model] {
    const auto inspection = api::inspect(load(*model, *common));
    if (common->json) {
      print_json(to_json(inspection));
    } else {
      print(inspection);
    }
  });
}

}  // namespace summand::cli
