// 4.5: the algebra over many H, and what is measured under a model's own.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/toeplitz/common_axes.hpp"
#include "lab/experiments/toeplitz/diagonal_forms.hpp"
#include "lab/experiments/toeplitz/form_energies.hpp"
#include "lab/experiments/toeplitz/model_inference.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/moments.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand::lab;
using namespace summand::lab::toeplitz;

namespace {

constexpr double kRounding = 1e-9;
constexpr size_t kCoordinates = 8;
constexpr size_t kRows = 60;

PlacedRows waves(size_t columns) {
  return placed_rows(sinusoid({kRows, columns}));
}

Table noise(const std::string& name) {
  return planted::gaussian(kCoordinates, kCoordinates, name);
}

std::string named(const char* what, size_t text, size_t function) {
  return std::string(what) + " " + std::to_string(text) + " " + std::to_string(function);
}

/// Forms of 8 texts and 4 functions.
Forms forms_of(const std::function<Table(size_t, size_t)>& form) {
  Forms forms(8);
  for (size_t t = 0; t < forms.size(); ++t) {
    for (size_t f = 0; f < 4; ++f) forms[t].push_back(form(t, f));
  }
  return forms;
}

/// One matrix that is not round, of another size and sign in every text and function; some noise around it.
Forms alike(double strength) {
  const Table root = noise("root of what the forms share");
  const Table shared = root * root.transpose() + 0.1 * Table::Identity(root.rows(), root.rows());
  return forms_of([&](size_t t, size_t f) {
    const double size = (t + f) % 2 == 0 ? 1.0 + static_cast<double>(t) : -0.5 - static_cast<double>(f);
    return Table(size * (shared + strength * noise(named("around", t, f))));
  });
}

double told(const PlacedRows& rows, const Forms& forms) {
  return told_share(whole(grid_of(rows, forms)));
}

/// A number with an interval, and what else of it the rules read.
struct Sides {
  Interval own;
  Interval null{0.2, 0.3};
  Interval control{0, 0};
};

Number number_of(const std::string& name, const Sides& sides) {
  return NumberBuilder(name, {name, name}, (sides.own.low + sides.own.high) / 2)
      .interval(sides.own)
      .null(sides.null.low, {"null", "null"}, sides.null)
      .control(sides.control.low, {"control", "control"}, sides.control);
}

}  // namespace

TEST_CASE("a diagonal H leaves nothing beside m − n and m + n in any draw, equal pairs no m + n, a full H much") {
  const auto shares = form_shares({.seed = 4, .threads = 2});
  for (size_t i = 0; i < shares.diagonal.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(shares.diagonal[i].rest) < kRounding);
    CHECK(std::abs(shares.equal_pairs[i].rest) < kRounding);
    CHECK(std::abs(shares.equal_pairs[i].hankel) < kRounding);
    CHECK(shares.full[i].rest > 0.1);
  }
  Numbers numbers;
  add_algebra(shares, numbers);
  CHECK(judge_algebra(numbers) == Observation::holds);
  const Number& number = numbers.at("diagonal_toeplitz");
  CHECK(number.value == doctest::Approx(medians(shares.diagonal).toeplitz));
  size_t inside = 0;
  for (const auto& one : shares.diagonal) {
    inside += one.toeplitz >= number.interval->low && one.toeplitz <= number.interval->high ? 1 : 0;
  }
  CHECK(static_cast<double>(inside) / static_cast<double>(shares.diagonal.size()) ==
        doctest::Approx(0.95).epsilon(0.01));
}

TEST_CASE("the algebra is judged at the worse end of its draws") {
  const auto judged = [](const Sides& hankel, const Sides& rest) {
    Numbers numbers;
    numbers.add(number_of("diagonal_hankel", hankel));
    numbers.add(number_of("diagonal_rest", rest));
    return judge_algebra(numbers);
  };
  const Sides hankel{.own = {0.2, 0.7}};
  const Sides rest{.own = {-1e-12, 1e-12}, .null = {0.4, 0.9}};
  CHECK(judged(hankel, rest) == Observation::holds);
  CHECK(judged({.own = {0.005, 0.9}}, rest) == Observation::fails);
  CHECK(judged({.own = {0.2, 0.7}, .control = {0, 1e-3}}, rest) == Observation::fails);
  CHECK(judged({.own = {0.2, 0.7}, .control = {-1e-3, 0}}, rest) == Observation::fails);
  CHECK(judged(hankel, {.own = {-1e-12, 1e-3}, .null = {0.4, 0.9}}) == Observation::fails);
  CHECK(judged(hankel, {.own = {-1e-12, 1e-12}, .null = {0.005, 0.9}}) == Observation::cannot_be_told);
}

TEST_CASE("energies under a form are those of all pairs, one by one") {
  const PlacedRows rows{.rows = planted::gaussian(12, kCoordinates, "rows"),
                        .at = {0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 13, 20}};
  const Table h = noise("a form");
  std::map<size_t, std::vector<double>> by_distance;
  double odd = 0;
  double all = 0;
  for (Eigen::Index m = 0; m < rows.rows.rows(); ++m) {
    for (Eigen::Index n = 0; n < rows.rows.rows(); ++n) {
      const double value = rows.rows.row(m) * h * rows.rows.row(n).transpose();
      const double exchanged = rows.rows.row(n) * h * rows.rows.row(m).transpose();
      odd += (value - exchanged) * (value - exchanged) / 4;
      if (m == n) continue;
      all += (value - exchanged) * (value - exchanged) / 4 + (value + exchanged) * (value + exchanged) / 4;
      const Table apart = rows.rows.row(m) - rows.rows.row(n);
      const size_t a = rows.at[static_cast<size_t>(m)];
      const size_t b = rows.at[static_cast<size_t>(n)];
      by_distance[a < b ? b - a : a - b].push_back((apart * h * apart.transpose())(0, 0));
    }
  }
  std::vector<double> values;
  for (const auto& [distance, some] : by_distance) values.insert(values.end(), some.begin(), some.end());
  double pairs = 0;
  for (const double value : values) pairs += (value - mean(values)) * (value - mean(values));
  double of_means = 0;
  for (const auto& [distance, some] : by_distance) {
    of_means += static_cast<double>(some.size()) * (mean(some) - mean(values)) * (mean(some) - mean(values));
  }
  const Energies energies = energies_of(rows, h);
  CHECK(energies.pairs == doctest::Approx(pairs).epsilon(kRounding));
  CHECK(energies.told == doctest::Approx(of_means).epsilon(kRounding));
  CHECK(energies.odd == doctest::Approx(odd).epsilon(kRounding));
  CHECK(energies.all == doctest::Approx(all).epsilon(kRounding));
}

TEST_CASE("in the axes that forms share a sinusoid is a function of n − m, outside of them it is not") {
  const PlacedRows sine = waves(kCoordinates);
  const Forms exact = alike(0);
  CHECK(told(sine, along_common_axes(exact, kCoordinates)) == doctest::Approx(1).epsilon(kRounding));
  CHECK(told(sine, exact) < 0.6);
  CHECK(told(waves(4), along_common_axes(exact, 4)) == doctest::Approx(1).epsilon(kRounding));
  CHECK(told(sine, along_common_axes(alike(0.5), kCoordinates)) > 0.8);
}

TEST_CASE("forms that share nothing have no axes in which a sinusoid could pass") {
  const Forms apart = forms_of([](size_t t, size_t f) { return noise(named("apart", t, f)); });
  CHECK(told(waves(kCoordinates), along_common_axes(apart, kCoordinates)) < 0.4);
}

TEST_CASE("a text's own forms do not choose its axes, and a function's sign chooses none") {
  const Forms forms = alike(0.5);
  const Forms laid = along_common_axes(forms, 4);
  Forms other = forms;
  for (auto& h : other[2]) h = 3 * h + noise("in text 2 alone");
  const Forms of_other = along_common_axes(other, 4);
  Forms expected = forms;
  for (auto& h : expected[2]) h = noise("in text 2 alone");
  // Linear in a text's own forms; those of the others move.
  const Forms added = along_common_axes(expected, 4);
  for (size_t f = 0; f < forms[2].size(); ++f) {
    CHECK((of_other[2][f] - 3 * laid[2][f] - added[2][f]).norm() < kRounding * of_other[2][f].norm());
    CHECK((of_other[0][f] - laid[0][f]).norm() > 0.01 * laid[0][f].norm());
  }
  Forms negative = forms;
  for (auto& text : negative) text[1] = -text[1];
  const Forms of_negative = along_common_axes(negative, 4);
  for (size_t t = 0; t < forms.size(); ++t) {
    CHECK((of_negative[t][0] - laid[t][0]).norm() < kRounding * laid[t][0].norm());
    CHECK((of_negative[t][1] + laid[t][1]).norm() < kRounding * laid[t][1].norm());
  }
  CHECK_THROWS_AS(static_cast<void>(along_common_axes({forms.front()}, 4)), summand::UsageError);
}

TEST_CASE("a learned table is judged only where a sinusoid laid into the same H passes") {
  const auto judged = [](const Interval& own, const Interval& laid, double texts = kLeastTexts) {
    Numbers numbers;
    numbers.add(number_of("measured_by_distance", {.own = own}));
    numbers.add(number_of("measured_laid_sinusoid", {.own = laid, .null = {0.3, 0.55}}));
    numbers.add(NumberBuilder("measured_texts", {}, texts));
    return *inference_of_model(numbers);
  };
  const Interval passes{0.6, 0.8};
  CHECK(judged({0.5, 0.7}, passes) == Inference::follows);
  CHECK(judged({0.35, 0.49}, passes) == Inference::does_not_follow);
  CHECK(judged({0.1, 0.15}, passes) == Inference::does_not_follow);
  CHECK(judged({0.45, 0.6}, passes) == Inference::not_tested);
  for (const Interval& laid : {Interval{0.45, 0.7}, Interval{0.52, 0.7}, Interval{0.2, 0.3}}) {
    CHECK(judged({0.5, 0.7}, laid) == Inference::not_tested);
    CHECK(judged({0.35, 0.49}, laid) == Inference::not_tested);
  }
  CHECK(judged({0.5, 0.7}, passes, kLeastTexts - 1) == Inference::not_tested);
  CHECK_FALSE(inference_of_model({}));
}

TEST_CASE("a full run takes the model's own H, a quick one and a table alone do not") {
  const auto sine = [](planted::ThreeTables& tables) { tables.positions = 0.1 * sinusoid({64, 32}); };
  const Subject with_model = planted::checkpoint({64, 32}, sine);
  const auto experiment = toeplitz_experiment();
  const auto full = experiment.run(with_model, {.seed = 0, .threads = 2});
  const Numbers& numbers = full.numbers.at("4.5");
  CHECK(numbers.value("measured_texts") == kTexts);
  const Number& own = numbers.at("measured_by_distance");
  CHECK(own.interval->low < own.value);
  CHECK(own.value < own.interval->high);
  CHECK(own.control->value == numbers.value("measured_laid_sinusoid"));
  CHECK(numbers.at("measured_plain_sinusoid").null->value == own.null->value);
  // The table is a sinusoid itself, but for what the normalisation does not see.
  CHECK(numbers.value("measured_plain_sinusoid") == doctest::Approx(own.value).epsilon(0.1));

  const auto quick = planted::run(experiment, with_model);
  CHECK(quick.verdicts.at("4.5").observation == Observation::holds);
  CHECK(quick.verdicts.at("4.5").inference == Inference::not_tested);
  CHECK(quick.findings.numbers.at("4.5").value("measured_texts") == 0);
  Subject alone;
  alone.positions = with_model.positions;
  const auto of_table = planted::run(experiment, alone);
  CHECK(of_table.verdicts.at("4.5").inference == Inference::follows);
}
