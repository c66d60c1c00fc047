#include "train/tasks/relative_task.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace summand::train {

namespace {

constexpr double kKept = 0.9;  // probability that a symbol is that of the lag before it

/// Probability that a symbol so many lags from one that is seen is the same as that one because it was kept.
double kept_over(size_t lags) {
  return std::pow(kKept, static_cast<double>(lags));
}

}  // namespace

void RelativeTask::fill(DataPart, RandomStream& random, TaskSequence& sequence) const {
  for (size_t position = 0; position < sizes().length; ++position) {
    const bool kept = position >= sizes().lag && random.uniform() < kKept;
    sequence.symbols[position] =
        kept ? sequence.symbols[position - sizes().lag] : static_cast<int32_t>(random.below(sizes().symbols));
  }
}

Matrix<double> RelativeTask::posterior(const TaskSequence& sequence) const {
  const std::vector<int32_t> seen = seen_symbols(sequence);
  const auto uniform = 1 / static_cast<double>(sizes().symbols);
  Matrix<double> posterior(sequence.asked.size(), sizes().symbols);
  for (size_t row = 0; row < posterior.rows(); ++row) {
    const auto weights = posterior.row(row);
    for (double& weight : weights) weight = 1;
    // Only the next seen symbols on both sides tell something: further ones are independent of it, given these.
    const auto weigh = [&](size_t at, size_t lags) {
      const double kept = kept_over(lags);
      for (double& weight : weights) weight *= (1 - kept) * uniform;
      auto& same = weights[static_cast<size_t>(seen[at])];
      same *= (kept + (1 - kept) * uniform) / ((1 - kept) * uniform);
    };
    const size_t asked = sequence.asked[row], lag = sizes().lag;
    for (size_t lags = 1; lags * lag <= asked; ++lags) {
      if (seen[asked - lags * lag] == kUnseen) continue;
      weigh(asked - lags * lag, lags);
      break;
    }
    for (size_t lags = 1; asked + lags * lag < seen.size(); ++lags) {
      if (seen[asked + lags * lag] == kUnseen) continue;
      weigh(asked + lags * lag, lags);
      break;
    }
    normalise(weights);
  }
  return posterior;
}

std::vector<double> RelativeTask::context_free() const {
  return std::vector<double>(sizes().symbols, 1 / static_cast<double>(sizes().symbols));
}

nlohmann::ordered_json RelativeTask::tables() const {
  return {{"lag", sizes().lag}, {"kept", kKept}};
}

}  // namespace summand::train
