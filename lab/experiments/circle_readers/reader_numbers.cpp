#include "lab/experiments/circle_readers/reader_numbers.hpp"

#include <algorithm>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab::circle_readers {

namespace {

using Eigen::Index;

constexpr NumberName kLayerMoved{"circle_readers", "layer"};  // a family
constexpr NumberName kStopped{"circle_readers", "stopped"};   // families, of a circle
constexpr NumberName kReversed{"circle_readers", "reversed"};
constexpr NumberName kSpedUp{"circle_readers", "sped_up"};
constexpr NumberName kAllStopped{"circle_readers", "all_stopped"};
constexpr NumberName kMaskedWords{"circle_readers", "masked_words_lost"};
constexpr NumberName kPairs{"circle_readers", "pairs_lost"};
constexpr const char* kAll = "all";  // of both: all circles at once

constexpr double kDegrees = 180 / std::numbers::pi;

LocalizedText reference_text(const char* what, const FormatArgs& args = {}) {
  return localize(std::string("circle_readers.beside.") + what, args);
}

Draws named(Draws draws, const std::string& of) {
  draws.name += " " + of;
  return draws;
}

PlaneReading reading_of(const Comparisons& comparisons, size_t planes, std::optional<Crossing> crossing) {
  PlaneReading reading{
      .crossing = std::move(crossing), .possible = comparisons.possible(), .leads = {}, .possible_leads = {}};
  for (size_t plane = 0; plane < planes; ++plane) {
    reading.leads.push_back(comparisons.lead_of(plane));
    reading.possible_leads.push_back(comparisons.possible_lead_of(plane));
  }
  return reading;
}

template <class Of>
std::vector<double> of_cuts(const AllReadings& readings, const Of& of) {
  std::vector<double> values;
  for (const auto& cut : readings.cuts) values.push_back(of(cut));
  return values;
}

/// The references are both planted layers, read in the same way.
NumberAdder<PlaneReading> adder(Numbers& numbers, const AllReadings& readings) {
  return {numbers,
          readings.circles,
          {readings.alike, reference_text("alike")},
          {readings.one_each, reference_text("one_each")}};
}

/// Which heads cross, and by which circles.
void add_place(const AllReadings& readings, const ReaderRuns& runs, const std::vector<TurningPlane>& circles,
               Numbers& numbers) {
  // 0 where nothing crosses.
  const auto add = [&](const NumberName& name, const auto& of) {
    adder(numbers, readings)(name, [&](const PlaneReading& reading) {
      return reading.crossing ? static_cast<double>(of(*reading.crossing)) : 0;
    });
  };
  add(kLayer, [&](const Crossing& one) { return one.of_slower.head / runs.heads + 1; });
  add(kSlowerHead, [&](const Crossing& one) { return one.of_slower.head % runs.heads + 1; });
  add(kSlowerDegrees, [&](const Crossing& one) { return circles[one.slower].pace * kDegrees; });
  add(kFasterHead, [&](const Crossing& one) { return one.of_faster.head % runs.heads + 1; });
  add(kFasterDegrees, [&](const Crossing& one) { return circles[one.faster].pace * kDegrees; });
}

/// Heads in which one of these planes moves enough of the attention.
double readers_of(std::span<const HeadEffects> planes) {
  Vector most = Vector::Zero(planes.front().attention.cols());
  for (const auto& plane : planes) most = most.cwiseMax(column_means(plane.attention));
  return static_cast<double>((most.array() >= kLeast).count());
}

/// The change of sentence vectors by plane i of each cut that has it.
std::vector<double> random_vectors(const ReaderRuns& runs, std::vector<HeadEffects> PlaneEffects::*way, size_t plane) {
  std::vector<double> changes;
  for (const auto& cut : runs.cuts) {
    if (!(cut.*way).empty()) changes.push_back(mean((cut.*way)[plane].vectors));
  }
  return changes;
}

}  // namespace

AllReadings all_readings(const ReaderRuns& runs, const Draws& draws) {
  const auto of = [&](const std::vector<HeadEffects>& planes, const std::string& name) {
    if (planes.size() < 2) return PlaneReading{};
    const Comparisons comparisons(planes, runs.heads, named(draws, name));
    return reading_of(comparisons, planes.size(), comparisons.crossing());
  };
  AllReadings readings{.circles = of(runs.circles.stopped, "circles"),
                       .cuts = {},
                       .one_each = of(runs.one_each, "one each"),
                       .alike = of(runs.alike, "alike")};
  for (const auto& cut : runs.cuts) {
    // Few windows make none sure: the largest is taken as it is, which is hard on the circles.
    const Comparisons comparisons(cut.stopped, runs.heads, named(draws, "random planes"));
    readings.cuts.push_back(reading_of(comparisons, cut.stopped.size(), comparisons.crossing_in_the_middle()));
  }
  return readings;
}

LocalizedText words_of(const TurningPlane& circle) {
  return localize("circle_readers.circle", {{"degrees", circle.pace * kDegrees}});
}

std::vector<double> moved_in_layer(const HeadEffects& effects, const ReaderRuns& runs, size_t layer) {
  const auto heads = static_cast<Index>(runs.heads);
  const Vector moved = effects.attention.middleCols(static_cast<Index>(layer) * heads, heads).rowwise().mean();
  return {moved.begin(), moved.end()};
}

size_t most_moved_layer(const ReaderRuns& runs) {
  std::vector<double> moved;
  for (size_t layer = 0; layer < runs.layers; ++layer)
    moved.push_back(mean(moved_in_layer(runs.all_stopped, runs, layer)));
  return static_cast<size_t>(std::ranges::max_element(moved) - moved.begin());
}

double random_in_layer(const ReaderRuns& runs, size_t layer) {
  std::vector<double> moved;
  for (const auto& cut : runs.cuts) {
    for (const auto& plane : cut.stopped) moved.push_back(mean(moved_in_layer(plane, runs, layer)));
  }
  return mean(moved);
}

std::vector<double> random_changes(const ReaderRuns& runs) {
  std::vector<double> changes;
  for (size_t i = 0; i < runs.circles.stopped.size(); ++i) {
    const auto of_plane = random_vectors(runs, &PlaneEffects::stopped, i);
    changes.insert(changes.end(), of_plane.begin(), of_plane.end());
  }
  return changes;
}

void add_crossings(const AllReadings& readings, const ReaderRuns& runs, const std::vector<TurningPlane>& circles,
                   Numbers& numbers) {
  const auto add = adder(numbers, readings);
  add(kCrossing, &PlaneReading::attention);
  add(kCrossingLogits, &PlaneReading::logits);
  add(kPossible, [](const PlaneReading& of) {
    return Estimate{.value = of.possible, .interval = {.low = 0, .high = of.possible}};
  });
  add_place(readings, runs, circles, numbers);
  const auto random = of_cuts(readings, [](const PlaneReading& of) { return of.attention().value; });
  const FormatArgs cuts{{"cuts", random.size()}};
  add(NumberBuilder(kRandomCrossing, median(random), cuts)
          .interval({.low = std::ranges::min(random), .high = std::ranges::max(random)}),
      &PlaneReading::attention);
  for (size_t i = 0; i < circles.size(); ++i) {
    const std::string member = std::to_string(i + 1);
    const FormatArgs of_circle{{"circle", words_of(circles[i])}};
    const Lead lead = readings.circles.lead(i);
    const auto leads = of_cuts(readings, [&](const PlaneReading& of) { return of.lead(i).attention.value; });
    numbers.add(NumberBuilder(kLead, member, lead.attention, of_circle)
                    .null(median_estimate(leads), reference_text("random_median", cuts))
                    .control(readings.one_each.lead(i).attention, reference_text("one_each")));
    add(kPossibleLead, member, of_circle, [i](const PlaneReading& of) { return of.possible_lead(i); });
  }
  std::vector<double> readers;
  for (const auto& cut : runs.cuts) readers.push_back(readers_of(cut.stopped));
  numbers.add(NumberBuilder(kReaders, readers_of(runs.circles.stopped),
                            {{"heads", runs.heads * runs.layers}, {"least", kLeast}})
                  .null(median(readers), reference_text("random_median", cuts))
                  .control(readers_of(std::span(&runs.all_stopped, 1)), reference_text("all_stopped")));
}

void add_layers(const ReaderRuns& runs, const Draws& draws, Numbers& numbers) {
  const LocalizedText random = reference_text("random_mean", {{"cuts", runs.cuts.size()}});
  const auto moved = [&](size_t layer) { return moved_in_layer(runs.all_stopped, runs, layer); };
  const auto own = [&](size_t layer) { return mean_over_texts(moved(layer), named(draws, "layer")); };
  const auto add = [&](NumberBuilder number, size_t layer) {
    numbers.add(number.null(random_in_layer(runs, layer), random)
                    .control(mean(moved_in_layer(runs.without_order, runs, layer)), reference_text("no_order")));
  };
  const size_t most = most_moved_layer(runs);
  add(NumberBuilder(kMostMoved, own(most), {{"layer", most + 1}}), most);
  for (size_t layer = 0; layer < runs.layers; ++layer) {
    add(NumberBuilder(kLayerMoved, std::to_string(layer + 1), own(layer), {{"layer", layer + 1}}), layer);
  }
  const size_t last = runs.layers - 1;
  const double of_random = random_in_layer(runs, most);
  numbers.add(NumberBuilder(kLastLayer, ratio_over_texts(moved(last), moved(most), named(draws, "last layer")))
                  .null(of_random > 0 ? random_in_layer(runs, last) / of_random : 0, random)
                  .control(ratio_of_means(moved_in_layer(runs.without_order, runs, last),
                                          moved_in_layer(runs.without_order, runs, most)),
                           reference_text("no_order")));
}

void add_outputs(const ReaderRuns& runs, const std::vector<TurningPlane>& circles, const Draws& draws,
                 Numbers& numbers) {
  const double of_all = mean(runs.all_stopped.vectors);
  const auto add = [&](const NumberName& family, std::vector<HeadEffects> PlaneEffects::*way) {
    for (size_t i = 0; i < (runs.circles.*way).size(); ++i) {
      const auto& vectors = (runs.circles.*way)[i].vectors;
      const auto random = random_vectors(runs, way, i);
      const Estimate own = mean_over_texts(vectors, named(draws, family.name));
      numbers.add(NumberBuilder(family, std::to_string(i + 1), own, {{"circle", words_of(circles[i])}})
                      .null(mean(random), reference_text("random_same", {{"cuts", random.size()}}))
                      .control(of_all, reference_text("all_stopped")));
    }
  };
  add(kStopped, &PlaneEffects::stopped);
  add(kReversed, &PlaneEffects::reversed);
  add(kSpedUp, &PlaneEffects::sped_up);
  numbers.add(NumberBuilder(kAllStopped, mean_over_texts(runs.all_stopped.vectors, named(draws, kAllStopped.name)))
                  .null(mean(random_changes(runs)), reference_text("random_mean", {{"cuts", runs.cuts.size()}}))
                  .control(mean(runs.without_order.vectors), reference_text("no_order")));
}

Changes mean_changes_by_stopping(const Numbers& numbers) {
  Changes sum;
  size_t circles = 0;
  while (const Number* one = find_number(numbers, kStopped.of(std::to_string(circles + 1)))) {
    sum.of_circles += one->value;
    sum.of_random += one->null->value;
    ++circles;
  }
  const auto count = static_cast<double>(std::max<size_t>(circles, 1));
  return {.of_circles = sum.of_circles / count, .of_random = sum.of_random / count};
}

void add_losses(const LossChanges& losses, const std::vector<TurningPlane>& circles, const Draws& draws,
                Numbers& numbers) {
  if (losses.circles.empty()) return;
  const NumberName& task = losses.masked_words ? kMaskedWords : kPairs;
  const auto add = [&](const std::string& member, const LocalizedText& stopped, const std::vector<double>& own,
                       double random) {
    numbers.add(NumberBuilder(task, member, mean_over_texts(own, named(draws, task.name)), {{"stopped", stopped}})
                    .null(random, reference_text("random_same", {{"cuts", 1}}))
                    .control(mean(losses.without_order), reference_text("no_order")));
  };
  double of_random = 0;
  for (size_t i = 0; i < circles.size(); ++i) {
    const double random = mean(losses.random_planes[i]);
    of_random += random / static_cast<double>(circles.size());
    add(std::to_string(i + 1), localize("circle_readers.one", {{"circle", words_of(circles[i])}}), losses.circles[i],
        random);
  }
  add(kAll, localize("circle_readers.all"), losses.all_stopped, of_random);
}

}  // namespace summand::lab::circle_readers
