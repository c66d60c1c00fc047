#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/plant/planted_tables.hpp"
#include "lab/plant/rewritten_models.hpp"

namespace summand::lab {

/// What `summand lab plant` is asked for besides a kind, a folder and a seed; what is not given has the kind's default.
struct PlantOptions {
  std::optional<std::string> from;  ///< a table, as for --table, or a checkpoint
  std::optional<size_t> rows;
  std::optional<size_t> columns;
  std::optional<double> length;
  std::optional<double> base;
  std::optional<size_t> frequencies;
  std::optional<double> turns;
  std::optional<size_t> circles;
  std::optional<double> ratio;
  std::optional<double> drift;
  std::optional<double> noise;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> scale;
  std::optional<double> shift;
  std::optional<size_t> layers;
  std::optional<size_t> hidden;
  std::optional<size_t> heads;
};

/// Visits every option as (name on the command line, member of PlantOptions, what it is).
template <class Visitor>
void visit_plant_options(Visitor&& visit) {
  visit("--from", &PlantOptions::from,
        "What it is made from: a checkpoint; for a table also FILE.npy or FILE.safetensors:TENSOR");
  visit("--rows", &PlantOptions::rows, "Rows of the table (default: 512)");
  visit("--columns", &PlantOptions::columns, "Columns of the table (default: 384)");
  visit("--length", &PlantOptions::length, "smooth: length of its covariance, in rows (default: 12)");
  visit("--base", &PlantOptions::base, "sinusoid: its base (default: 10000)");
  visit("--frequencies", &PlantOptions::frequencies, "equal-frequencies: how many (default: 32)");
  visit("--turns", &PlantOptions::turns, "ring: turns over all rows (default: 90)");
  visit("--circles", &PlantOptions::circles, "clocks: how many circles (default: 5)");
  visit("--ratio", &PlantOptions::ratio, "clocks: ratio of one pace to the next slower one (default: 3)");
  visit("--drift", &PlantOptions::drift, "clocks: deviation of a pace's logarithm along the rows (default: 0.05)");
  visit("--noise", &PlantOptions::noise, "ring, clocks: noise added to entries of mean square 1 (default: 0.1)");
  visit("--low", &PlantOptions::low, "band: fewest cycles over all rows (default: 10)");
  visit("--high", &PlantOptions::high, "band: most cycles over all rows (default: 17)");
  visit("--scale", &PlantOptions::scale, "scaled, rewritten: factor of all three tables (default: 0.03125)");
  visit("--shift", &PlantOptions::shift,
        "shifted, rewritten: length of the shift, in mean lengths of a token row (default: 1)");
  visit("--layers", &PlantOptions::layers, "random: number of layers (default: 4)");
  visit("--hidden", &PlantOptions::hidden, "random: width of the hidden states (default: 128)");
  visit("--heads", &PlantOptions::heads, "random: attention heads (default: 2)");
}

/// One kind of table, or of checkpoint.
struct PlantKind {
  std::string_view name;              ///< "equal-frequencies"
  std::string_view line;              ///< what it is, in a line
  std::optional<PlantedTable> table;  ///< either this
  std::optional<PlantedModel> model;  ///< or this
  std::vector<std::string_view> options;
};

/// Tables first.
[[nodiscard]] const std::vector<PlantKind>& plant_kinds();
/// @throws UsageError naming the nearest one, if there is none of this name
[[nodiscard]] const PlantKind& plant_kind(const std::string& name);
/// A line for each.
[[nodiscard]] std::string plant_kinds_text();

/// The options of a kind, those not given with their defaults; all others absent.
/// @throws UsageError if one is given that the kind does not read, or --from is not and it needs it
[[nodiscard]] PlantOptions with_defaults(const PlantKind& kind, const PlantOptions& given);

}  // namespace summand::lab
