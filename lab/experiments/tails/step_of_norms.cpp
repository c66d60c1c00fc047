#include "lab/experiments/tails/step_of_norms.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab::tails {

namespace {

constexpr size_t kStepRows = 32;       // on either side of a step
constexpr size_t kBesideRows = 8;      // on either side of a single row
constexpr double kLeastChange = 1.05;  // of a norm …
constexpr double kStandsOut = 2;       // … and times the largest elsewhere, on a logarithmic scale
constexpr auto kShortTexts = static_cast<size_t>(kShortSequence);

constexpr NumberName kStepOfNorm{"tails", "step_of_norm"};
constexpr NumberName kNormBeforeStep{"tails", "norm_before_step"};

/// What the texts say of the constants.
FormatArgs settings_of_step() {
  return {{"short", kShortSequence}, {"last", kShortSequence - 1}, {"window", kStepRows}, {"beside", kBesideRows}};
}

double ratio_of_norms(double norm, double other) {
  return norm > 0 && other > 0 ? norm / other : 1;
}

/// The median of the rows from here on over that of as many before.
double step_at(std::span<const double> norms, size_t place) {
  return ratio_of_norms(median(norms.subspan(place, kStepRows)), median(norms.subspan(place - kStepRows, kStepRows)));
}

/// At a place so far from position 128 that no window reaches over it.
double largest_step_elsewhere(std::span<const double> norms) {
  double largest = 1;
  for (size_t place = kStepRows; place + kStepRows <= norms.size(); ++place) {
    if (place + kStepRows > kShortTexts && place < kShortTexts + kStepRows) continue;
    const double step = step_at(norms, place);
    if (std::abs(std::log(step)) > std::abs(std::log(largest))) largest = step;
  }
  return largest;
}

/// A row's norm over the median of its neighbours.
double beside_neighbours(std::span<const double> norms, size_t row) {
  const auto before = norms.subspan(row - kBesideRows, kBesideRows);
  const auto behind = norms.subspan(row + 1, kBesideRows);
  std::vector<double> neighbours(before.begin(), before.end());
  neighbours.insert(neighbours.end(), behind.begin(), behind.end());
  return ratio_of_norms(norms[row], median(neighbours));
}

double most_beside_neighbours_elsewhere(std::span<const double> norms) {
  double most = 0;
  for (size_t row = kBesideRows; row + kBesideRows < norms.size(); ++row) {
    if (row != kShortTexts - 1) most = std::max(most, beside_neighbours(norms, row));
  }
  return most;
}

}  // namespace

void add_step_of_norms(const Table& table, const Conditions& conditions, Numbers& numbers) {
  if (table.rows() < kShortSequence + 2 * static_cast<Eigen::Index>(kStepRows)) return;
  const Vector of_rows = centred(table).rowwise().norm();
  const std::vector<double> norms(of_rows.begin(), of_rows.end());
  RandomStream stream(conditions.seed, "tails: norms shuffled");
  std::vector<double> shuffled = norms;
  stream.shuffle(std::span(shuffled));
  std::vector<double> one_doubled = shuffled;
  one_doubled[kShortTexts - 1] *= kPlantedTimes;
  for (size_t row = kShortTexts; row < shuffled.size(); ++row) shuffled[row] *= kPlantedTimes;
  const FormatArgs args = settings_of_step();
  numbers.add(NumberBuilder(kStepOfNorm, step_at(norms, kShortTexts), args)
                  .null(largest_step_elsewhere(norms), localize("tails.beside.largest_elsewhere"))
                  .control(step_at(shuffled, kShortTexts), localize("tails.beside.later_doubled", args)));
  numbers.add(NumberBuilder(kNormBeforeStep, beside_neighbours(norms, kShortTexts - 1), args)
                  .null(most_beside_neighbours_elsewhere(norms), localize("tails.beside.most_elsewhere"))
                  .control(beside_neighbours(one_doubled, kShortTexts - 1), localize("tails.beside.row_doubled")));
}

LocalizedText words_of_step(const Numbers& numbers) {
  const Number* step = find_number(numbers, kStepOfNorm);
  if (step == nullptr) return {};
  const Number& last = numbers.at(kNormBeforeStep);
  const auto stands_out = [](double change, double elsewhere) {
    return change >= std::max(std::log(kLeastChange), kStandsOut * elsewhere);
  };
  const double elsewhere = std::abs(std::log(step->null->value));
  const bool steps = stands_out(std::abs(std::log(step->value)), elsewhere);
  const bool last_is_longer = stands_out(std::log(last.value), std::abs(std::log(last.null->value)));
  if (!steps && !last_is_longer) return {};
  FormatArgs args = settings_of_step();
  args.emplace_back("step", step->value);
  args.emplace_back("elsewhere", std::exp(elsewhere));
  args.emplace_back("times", last.value);
  return localize(!last_is_longer ? "tails.trained_in_two.step"
                  : !steps        ? "tails.trained_in_two.last"
                                  : "tails.trained_in_two.both",
                  args);
}

}  // namespace summand::lab::tails
