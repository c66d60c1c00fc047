#include "lab/experiments/toeplitz/diagonal_forms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab::toeplitz {

namespace {

using Eigen::Index;

constexpr Shape kControl{.rows = 128, .columns = 64};  // always the same
constexpr size_t kForms = 200;
constexpr double kNothing = 1e-6;  // what rounding leaves of a share
constexpr double kSomething = 0.01;

constexpr NumberName kDiagonalToeplitz{"toeplitz", "diagonal_toeplitz"};
constexpr NumberName kDiagonalHankel{"toeplitz", "diagonal_hankel"};
constexpr NumberName kDiagonalRest{"toeplitz", "diagonal_rest"};

Table symmetric(const Table& table) {
  return (table + table.transpose()) / 2;
}

std::vector<double> values_of(const std::vector<ToeplitzHankel>& draws, double ToeplitzHankel::*share) {
  std::vector<double> values;
  for (const auto& one : draws) values.push_back(one.*share);
  return values;
}

double largest_size(const Interval& draws) {
  return std::max(std::abs(draws.low), std::abs(draws.high));
}

}  // namespace

FormShares form_shares(const Conditions& conditions) {
  const Table sine = sinusoid(kControl);
  std::vector<size_t> at(kControl.rows);
  std::iota(at.begin(), at.end(), size_t{0});
  const ToeplitzHankelFit fit(at);
  const auto shares = [&](const Table& weighted) { return fit.shares(symmetric(weighted * sine.transpose())); };
  FormShares result{std::vector<ToeplitzHankel>(kForms), std::vector<ToeplitzHankel>(kForms),
                    std::vector<ToeplitzHankel>(kForms)};
  run_tasks(conditions, kForms, [&](size_t i) {
    RandomStream stream(conditions.seed, "toeplitz: H " + std::to_string(i));
    Vector diagonal(sine.cols());
    for (double& entry : diagonal) entry = stream.normal();
    Vector pairs = diagonal;
    for (Index j = 0; j + 1 < pairs.size(); j += 2) pairs(j + 1) = pairs(j);
    const Table full = symmetric(white_noise({kControl.columns, kControl.columns}, stream));
    result.diagonal[i] = shares(sine * diagonal.asDiagonal());
    result.equal_pairs[i] = shares(sine * pairs.asDiagonal());
    result.full[i] = shares(sine * full);
  });
  return result;
}

ToeplitzHankel medians(const std::vector<ToeplitzHankel>& draws) {
  const auto middle = [&](double ToeplitzHankel::*share) { return median(values_of(draws, share)); };
  return {middle(&ToeplitzHankel::toeplitz), middle(&ToeplitzHankel::hankel), middle(&ToeplitzHankel::shared),
          middle(&ToeplitzHankel::rest)};
}

void add_algebra(const FormShares& shares, Numbers& numbers) {
  const auto add = [&](const NumberName& name, double ToeplitzHankel::*share) {
    const auto of = [share](const auto& draws) { return median_estimate(values_of(draws, share)); };
    numbers.add(NumberBuilder(name, of(shares.diagonal), {{"draws", shares.diagonal.size()}})
                    .null(of(shares.full), localize("toeplitz.beside.full"))
                    .control(of(shares.equal_pairs), localize("toeplitz.beside.pairs")));
  };
  add(kDiagonalToeplitz, &ToeplitzHankel::toeplitz);
  add(kDiagonalHankel, &ToeplitzHankel::hankel);
  add(kDiagonalRest, &ToeplitzHankel::rest);
}

Observation judge_algebra(const Numbers& numbers) {
  const Number& rest = numbers.at(kDiagonalRest);
  const Number& hankel = numbers.at(kDiagonalHankel);
  if (rest.null->interval->low < kSomething) return Observation::cannot_be_told;
  const bool holds = largest_size(*rest.interval) <= kNothing && hankel.interval->low >= kSomething &&
                     largest_size(*hankel.control->interval) <= kNothing;
  return holds ? Observation::holds : Observation::fails;
}

std::string deciding_algebra(const Numbers& numbers) {
  const Number& hankel = numbers.at(kDiagonalHankel);
  const bool rest_is_nothing = largest_size(*numbers.at(kDiagonalRest).interval) <= kNothing;
  return deciding_number({{kDiagonalHankel, hankel.interval->low >= kSomething}, {kDiagonalRest, rest_is_nothing}});
}

LocalizedText words_of_algebra(const Numbers& numbers) {
  const Number& toeplitz = numbers.at(kDiagonalToeplitz);
  const Number& hankel = numbers.at(kDiagonalHankel);
  return localize("toeplitz.reason.algebra", {{"draws", kForms},
                                              {"toeplitz", toeplitz.value},
                                              {"toeplitz_low", toeplitz.interval->low},
                                              {"toeplitz_high", toeplitz.interval->high},
                                              {"hankel", hankel.value},
                                              {"hankel_low", hankel.interval->low},
                                              {"hankel_high", hankel.interval->high},
                                              {"rest", largest_size(*numbers.at(kDiagonalRest).interval)},
                                              {"without", largest_size(*hankel.control->interval)}});
}

FormatArgs algebra_settings() {
  return {{"nothing", -std::log10(kNothing)},
          {"something", kSomething},
          {"forms", kForms},
          {"rows", kControl.rows},
          {"columns", kControl.columns}};
}

}  // namespace summand::lab::toeplitz
