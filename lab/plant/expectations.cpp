#include "lab/plant/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/plant/circles_to_find.hpp"
#include "lab/statistics/circles.hpp"

namespace summand::lab {

namespace plant {
namespace {

using Expectations = std::vector<Expectation>;

// Below these sizes the experiments do not tell what is true, or not of every draw; what they ask for, and a few rows
// more.
constexpr size_t kRowsOfShifts = 136;    // 3.5 and 4.3
constexpr size_t kColumnsOfDecay = 128;  // 4.3: fewer waves do not cancel
constexpr size_t kRowsOfALaw = 192;      // E1
constexpr size_t kColumnsOfALaw = 16;
constexpr double kCyclesOfABand = 2;  // X1: a narrower one is a line, as far as its rows can tell

Expectation must_hold(const char* claim, std::string why) {
  return {.of = claim, .demand = Expectation::Demand::must, .what = Observation::holds, .why = std::move(why)};
}
Expectation must_not_hold(const char* claim, std::string why) {
  return {.of = claim, .demand = Expectation::Demand::must_not, .what = Observation::holds, .why = std::move(why)};
}
Expectation is_so(const char* fact, std::variant<Observation, bool, double> what, std::string why) {
  return {.of = fact, .demand = Expectation::Demand::is, .what = what, .why = std::move(why)};
}

Expectations joined(Expectations first, Expectations second) {
  for (auto& one : second) first.push_back(std::move(one));
  return first;
}

/// Of rows that were drawn one by one.
Expectations of_independent_rows() {
  return {must_not_hold("3.5", "Rows are drawn one by one: none says anything of the next."),
          must_not_hold("0.9", "Rows are drawn one by one: neighbours are no nearer than others."),
          must_not_hold("E6", "Rows are drawn one by one, so that no component has a wave along them."),
          must_not_hold("X1", "Inner products of different rows are chance: no line stands out of their spectrum.")};
}

Expectations of_sinusoid(const PlantedTableSettings& settings) {
  Expectations list;
  if (settings.rows < kRowsOfShifts) return list;
  list.push_back(must_hold("3.5", "sin and cos of a sum: k positions further is one rotation, the same everywhere."));
  if (settings.columns >= kColumnsOfDecay) {
    list.push_back(must_hold("4.3", "Inner products are a sum of cosines of m - n alone."));
  }
  return list;
}

Expectations of_equal_frequencies(const PlantedTableSettings& settings) {
  Expectations list;
  if (settings.rows >= kRowsOfShifts) {
    list.push_back(must_hold("3.5", "Each plane turns by its own angle a row: k positions further is one rotation."));
  }
  list.push_back(is_so("toeplitz_share", 1.0, "Inner products are a sum of cosines of m - n, of equal weight."));
  return list;
}

Expectations of_band(const PlantedTableSettings& settings) {
  Expectations list{must_not_hold("3.5", "It is noise: nothing was put in but the band of its frequencies.")};
  if (settings.high - settings.low >= kCyclesOfABand) {
    list.push_back(must_not_hold("X1", "Its spectrum is an even band and has no lines."));
  }
  return list;
}

/// That the numbers are drawn from the law that E1 names.
Expectations of_law(const Shape& shape, std::string why) {
  if (shape.rows < kRowsOfALaw || shape.columns < kColumnsOfALaw) return {};
  return {must_hold("E1", std::move(why))};
}

Expectations of_ring(const PlantedTableSettings& settings) {
  const auto to_find = circles_to_find(PlantedTable::ring, settings);
  Expectations list;
  if (to_find.ring) {
    list.push_back(must_hold("E4", "The first two components are one circle of constant radius: a ring, no spiral."));
  }
  if (to_find.clocks) list.push_back(must_hold("X1", "The table is one circle, at one pace, and noise."));
  list.push_back(is_so("turns", settings.turns, "Of the circle over all rows, by construction."));
  return list;
}

Expectations of_clocks(const PlantedTableSettings& settings) {
  const auto to_find = circles_to_find(PlantedTable::clocks, settings);
  Expectations list;
  if (to_find.clocks) {
    list.push_back(
        must_hold("X1", fmt::format("The table is {} circles, each at its own pace, and noise.", settings.circles)));
  }
  if (to_find.ladder) {
    list.push_back(must_hold("X2", fmt::format("Every pace is {} times the one before.", settings.ratio)));
  }
  if (settings.circles > 1) {
    list.push_back(is_so("ratio", settings.ratio, "Of one pace to the next slower one, by construction."));
  }
  const size_t slow = slow_clocks(settings);
  list.push_back(is_so("circles", static_cast<double>(settings.circles),
                       slow == 0
                           ? "By construction."
                           : fmt::format("By construction; of these X1 counts the {} that go round {:g} times or more "
                                         "over all rows.",
                                         settings.circles - slow, 2 * circle_rule::kLeastTurns)));
  return list;
}

Expectations of_a_rewriting(PlantedModel kind, const RewrittenModel& model, const model::SentenceModules& sentence) {
  const bool has_own_order = std::ranges::any_of(model::dense_steps(sentence), [](const model::Dense* dense) {
    return dense->residual != model::Residual::input;
  });
  const bool comes_permuted = !model.permutation.empty() && !has_own_order;
  const bool cut = comes_permuted && sentence.truncate_dimensions.has_value();
  const bool same = model.epsilon_error <= kSameOutput && !cut;
  std::string why =
      "It is the same function in other parameters: outputs differ by rounding, and no claim about the "
      "model may get another verdict.";
  if (kind == PlantedModel::scaled || kind == PlantedModel::rewritten) {
    why += fmt::format(
        " The epsilon of the first normalisation, one number for all layers, stays while its input is "
        "scaled: that changes a normalised sum by at most {:.1e} of its length.",
        model.epsilon_error);
  }
  if (cut) why += " But sentence vectors are cut to their first coordinates, which are others here.";
  Expectations list{is_so("same_as_source", same, std::move(why)),
                    is_so("same_within", kSameOutput, "Relative to an output's length: single precision.")};
  if (kind == PlantedModel::permuted) {
    list.push_back(is_so("sentence_vectors_permuted", comes_permuted,
                         comes_permuted ? "No Dense module reads the hidden vector, so that sentence vectors come in "
                                          "its order; their inner products and distances are the source's."
                                        : "The first Dense module reads the permuted order and gives the source's "
                                          "vectors."));
  }
  return list;
}

}  // namespace
}  // namespace plant

std::vector<Expectation> expectations_of(PlantedTable kind, const PlantedTableSettings& settings) {
  using namespace plant;
  const Shape shape{.rows = settings.rows, .columns = settings.columns};
  switch (kind) {
    case PlantedTable::white:
      return of_independent_rows();
    case PlantedTable::walk:
      return {must_not_hold("3.5", "Every step is independent of where it begins: no map foretells it."),
              must_not_hold("X1", "Its spectrum falls smoothly and has no lines.")};
    case PlantedTable::smooth:
      return {must_not_hold("3.5", "Columns are independent smooth noise: nothing was put in but their smoothness."),
              must_not_hold("X1", "Its spectrum is a Gaussian around 0 and has no lines.")};
    case PlantedTable::sinusoid:
      return of_sinusoid(settings);
    case PlantedTable::equal_frequencies:
      return of_equal_frequencies(settings);
    case PlantedTable::ring:
      return of_ring(settings);
    case PlantedTable::clocks:
      return of_clocks(settings);
    case PlantedTable::band:
      return of_band(settings);
    case PlantedTable::initialisation:
      return joined(joined(of_law(shape, "The numbers are drawn from the law that the claim names."),
                           {must_not_hold("E2", "No number lies beyond two sigmas.")}),
                    of_independent_rows());
    case PlantedTable::initialisation_long_row:
      return joined(of_law(shape, "All rows but one are drawn from the law that the claim names; one row is no table."),
                    {must_not_hold("3.5", "Rows are drawn one by one: none says anything of the next.")});
    case PlantedTable::kernel_matched:
      return {must_not_hold("3.5",
                            "Independent Gaussian columns: nothing was put in but the source's lag kernel, so "
                            "whatever it passes shows no more than a kernel.")};
    case PlantedTable::joint_phases:
      return {must_not_hold("3.5",
                            "Its phases are random: nothing of the source is in it but how its columns vary "
                            "together at each frequency.")};
  }
  __builtin_unreachable();
}

std::vector<Expectation> expectations_of(PlantedModel kind, const RewrittenModel& model,
                                         const model::SentenceModules& sentence) {
  using namespace plant;
  switch (kind) {
    case PlantedModel::shifted:
    case PlantedModel::scaled:
    case PlantedModel::rewritten:
    case PlantedModel::offset:
    case PlantedModel::gauge:
    case PlantedModel::permuted:
    case PlantedModel::unreached:
      return of_a_rewriting(kind, model, sentence);
    case PlantedModel::no_order:
      return {is_so("effect_of_order", 0.0,
                    "All rows but row 0 are equal: whatever stands behind the first token may be put in any order."),
              must_not_hold("0.8",
                            "Row 0 kept, the mean of the other rows is every one of them: without positions the "
                            "model is the same."),
              must_not_hold("3.3", "Behind the first token nothing tells one position from another, in any layer."),
              must_not_hold("3.5", "Rows that are equal say nothing of a distance."),
              must_not_hold("Q8c", "A normalisation divides the parts of a sum by one number, which leaves their mix."),
              must_not_hold("X1", "Rows that are equal do not turn."),
              must_not_hold("X3", "There are no circles that a head could follow.")};
    case PlantedModel::white_positions:
      return of_independent_rows();
    case PlantedModel::random:
      return joined(of_law({.rows = static_cast<size_t>(model.config.max_position_embeddings),
                            .columns = static_cast<size_t>(model.config.hidden_size)},
                           "The table is as drawn: normal, with the standard deviation that the configuration "
                           "declares."),
                    of_independent_rows());
  }
  __builtin_unreachable();
}

}  // namespace summand::lab
