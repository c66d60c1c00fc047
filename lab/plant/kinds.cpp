#include "lab/plant/kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace summand::lab {

namespace plant {
namespace {

constexpr const char* kFrom = "--from";

PlantKind table_kind(PlantedTable table, std::string_view line, std::vector<std::string_view> options) {
  if (needs_source(table)) {
    options.emplace_back(kFrom);
  } else {
    options.insert(options.begin(), {"--rows", "--columns"});
  }
  return {.name = model::name_of(table), .line = line, .table = table, .model = {}, .options = std::move(options)};
}

PlantKind model_kind(PlantedModel model, std::string_view line, std::vector<std::string_view> options) {
  options.insert(options.begin(), kFrom);
  return {.name = model::name_of(model), .line = line, .table = {}, .model = model, .options = std::move(options)};
}

std::vector<PlantKind> made_kinds() {
  using enum PlantedTable;
  return {
      table_kind(white, "table: independent numbers", {}),
      table_kind(walk, "table: a random walk", {}),
      table_kind(smooth, "table: independent smooth columns, a Gaussian process", {"--length"}),
      table_kind(sinusoid, "table: Vaswani et al.'s sines and cosines", {"--base"}),
      table_kind(equal_frequencies, "table: waves of equal energy; a step is one rotation, exactly", {"--frequencies"}),
      table_kind(ring, "table: one circle at one pace, and noise", {"--turns", "--noise"}),
      table_kind(clocks, "table: circles whose paces are a ladder and drift slowly, and noise",
                 {"--circles", "--ratio", "--drift", "--noise"}),
      table_kind(band, "table: noise with no frequencies but those of a band", {"--low", "--high"}),
      table_kind(initialisation, "table: N(0, 0.02) cut at two sigmas, as BERT's begins", {}),
      table_kind(initialisation_long_row, "table: the same, row 0 ten times as long", {}),
      table_kind(kernel_matched, "table: Gaussian columns with another table's lag kernel", {}),
      table_kind(joint_phases, "table: another table, its Fourier phases randomised jointly", {}),
      model_kind(PlantedModel::shifted, "checkpoint: the same function, tokens W + c, positions P - c", {"--shift"}),
      model_kind(PlantedModel::scaled, "checkpoint: the same function, all three tables scaled", {"--scale"}),
      model_kind(PlantedModel::rewritten, "checkpoint: the same function, shifted and scaled", {"--shift", "--scale"}),
      model_kind(PlantedModel::offset, "checkpoint: the same function, a number added to every row", {}),
      model_kind(PlantedModel::gauge,
                 "checkpoint: the same function, changed where attention and normalisations do not see it", {}),
      model_kind(PlantedModel::permuted, "checkpoint: the same function, coordinates permuted throughout", {}),
      model_kind(PlantedModel::unreached, "checkpoint: the same function, token rows that no text reaches overwritten",
                 {}),
      model_kind(PlantedModel::no_order, "checkpoint: all position rows but row 0 equal", {}),
      model_kind(PlantedModel::white_positions, "checkpoint: position rows in random directions, as long as they were",
                 {}),
      model_kind(PlantedModel::random, "checkpoint: a BERT as training begins, of other sizes",
                 {"--layers", "--hidden", "--heads"}),
  };
}

PlantOptions all_defaults() {
  const PlantedTableSettings table;
  const PlantedModelSettings model;
  return {.from = {},
          .rows = table.rows,
          .columns = table.columns,
          .length = table.length,
          .base = table.base,
          .frequencies = table.frequencies,
          .turns = table.turns,
          .circles = table.circles,
          .ratio = table.ratio,
          .drift = table.drift,
          .noise = table.noise,
          .low = table.low,
          .high = table.high,
          .scale = model.scale,
          .shift = model.shift,
          .layers = model.layers,
          .hidden = model.hidden,
          .heads = model.heads};
}

bool reads(const PlantKind& kind, std::string_view option) {
  return std::ranges::count(kind.options, option) > 0;
}

}  // namespace
}  // namespace plant

const std::vector<PlantKind>& plant_kinds() {
  static const std::vector<PlantKind> kinds = plant::made_kinds();
  return kinds;
}

const PlantKind& plant_kind(const std::string& name) {
  const auto found = std::ranges::find(plant_kinds(), name, &PlantKind::name);
  if (found != plant_kinds().end()) return *found;
  std::vector<std::string> names;
  for (const auto& kind : plant_kinds()) names.emplace_back(kind.name);
  throw UsageError("KIND", fmt::format("expected one of those that 'summand lab plant --list' shows, got '{}'{}",
                                       printable(name), did_you_mean(name, names)));
}

std::string plant_kinds_text() {
  size_t width = 0;
  for (const auto& kind : plant_kinds()) width = std::max(width, kind.name.size());
  std::string text;
  for (const auto& kind : plant_kinds()) {
    text += fmt::format("{:<{}}  {}; {}\n", kind.name, width, kind.line, fmt::join(kind.options, " "));
  }
  return text;
}

PlantOptions with_defaults(const PlantKind& kind, const PlantOptions& given) {
  using namespace plant;
  PlantOptions options;
  const PlantOptions defaults = all_defaults();
  visit_plant_options([&](std::string_view name, auto field, const char*) {
    const bool is_read = reads(kind, name);
    if (given.*field && !is_read) {
      throw UsageError(name, fmt::format("expected with a kind that reads it, got it with '{}', which reads {}",
                                         kind.name, fmt::join(kind.options, " ")));
    }
    if (is_read) options.*field = given.*field ? given.*field : defaults.*field;
  });
  if (reads(kind, kFrom) && !options.from) {
    throw UsageError(kFrom, fmt::format("expected {} that '{}' is made of, got none",
                                        kind.model ? "the checkpoint" : "the table or checkpoint", kind.name));
  }
  return options;
}

}  // namespace summand::lab
