#include "train/tasks/hidden_markov.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/assert.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

namespace {

/// Multiplies a row of state weights with the probability of what is seen there.
void see(std::span<double> states, const Matrix<double>& emissions, int32_t symbol) {
  if (symbol == kUnseen) return;
  for (size_t state = 0; state < states.size(); ++state) states[state] *= emissions(state, static_cast<size_t>(symbol));
}

/// next = states · transition
void step(std::span<const double> states, const Matrix<double>& transition, std::span<double> next) {
  std::ranges::fill(next, 0);
  for (size_t from = 0; from < states.size(); ++from) {
    const auto row = transition.row(from);
    for (size_t to = 0; to < next.size(); ++to) next[to] += states[from] * row[to];
  }
}

/// before = transition · states
void step_back(std::span<const double> states, const Matrix<double>& transition, std::span<double> before) {
  for (size_t from = 0; from < before.size(); ++from) {
    const auto row = transition.row(from);
    before[from] = std::inner_product(row.begin(), row.end(), states.begin(), 0.0);
  }
}

double scale_to_one(std::span<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return std::log(sum);
}

}  // namespace

Smoothed smooth(const HiddenMarkov& model, std::span<const int32_t> seen, std::span<const size_t> asked) {
  const size_t length = seen.size(), states = model.initial.size();
  SUMMAND_ASSERT(model.transitions.size() == length && model.emissions.size() == length);
  Matrix<double> forward(length, states), backward(length, states);
  Smoothed result;
  std::ranges::copy(model.initial, forward.row(0).begin());
  for (size_t at = 0; at < length; ++at) {
    if (at > 0) step(forward.row(at - 1), *model.transitions[at], forward.row(at));
    see(forward.row(at), *model.emissions[at], seen[at]);
    result.log_likelihood += scale_to_one(forward.row(at));
  }
  std::ranges::fill(backward.row(length - 1), 1);
  std::vector<double> later(states);
  for (size_t at = length - 1; at > 0; --at) {
    std::ranges::copy(backward.row(at), later.begin());
    see(later, *model.emissions[at], seen[at]);
    step_back(later, *model.transitions[at], backward.row(at - 1));
    scale_to_one(backward.row(at - 1));
  }
  result.symbols = Matrix<double>(asked.size(), model.emissions[0]->columns());
  for (size_t row = 0; row < asked.size(); ++row) {
    SUMMAND_ASSERT(seen[asked[row]] == kUnseen);
    std::vector<double> here(states);
    for (size_t state = 0; state < states; ++state)
      here[state] = forward(asked[row], state) * backward(asked[row], state);
    normalise(here);
    step(here, *model.emissions[asked[row]], result.symbols.row(row));
  }
  return result;
}

Matrix<double> state_priors(std::span<const double> initial, std::span<const Matrix<double>* const> transitions) {
  Matrix<double> priors(transitions.size(), initial.size());
  std::ranges::copy(initial, priors.row(0).begin());
  for (size_t at = 1; at < transitions.size(); ++at) step(priors.row(at - 1), *transitions[at], priors.row(at));
  return priors;
}

Matrix<double> mixture_of(std::span<const Smoothed> models) {
  double largest = models.front().log_likelihood;
  for (const Smoothed& model : models) largest = std::max(largest, model.log_likelihood);
  const auto weight_of = [&](const Smoothed& model) { return std::exp(model.log_likelihood - largest); };
  double all = 0;
  for (const Smoothed& model : models) all += weight_of(model);
  Matrix<double> mean(models.front().symbols.rows(), models.front().symbols.columns());
  for (const Smoothed& model : models) {
    for (size_t row = 0; row < mean.rows(); ++row) {
      for (size_t symbol = 0; symbol < mean.columns(); ++symbol) {
        mean(row, symbol) += weight_of(model) / all * model.symbols(row, symbol);
      }
    }
  }
  return mean;
}

}  // namespace summand::train
