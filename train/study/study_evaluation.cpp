#include "train/study/study_evaluation.hpp"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "train/tasks/interaction_task.hpp"
#include "train/tasks/strata.hpp"

namespace summand::train {

namespace {

constexpr size_t kSequencesAtOnce = 64;

at::Tensor rows_tensor(std::span<const Matrix<double>> parts) {
  std::vector<double> values;
  for (const Matrix<double>& part : parts) values.insert(values.end(), part.elements().begin(), part.elements().end());
  const auto columns = static_cast<int64_t>(parts.front().columns());
  return at::tensor(values, at::kDouble).reshape({-1, columns});
}

/// Whether the pair of symbol and position of each answer was held out of training.
std::vector<std::string> strata_of(const InteractionTask& task, const TaskSequence& sequence) {
  std::vector<std::string> names;
  for (const size_t position : sequence.asked) {
    names.emplace_back(task.is_held_out(sequence.symbols[position], position) ? "held out" : "trained");
  }
  return names;
}

}  // namespace

at::Tensor log_probabilities(const Network& network, const Task& task, const MaskedBatch& batch) {
  const Pass pass = network.run(batch.batch, nullptr, batch.predicted);
  if (!task.masks()) return network.logits(model::Head::token_classification, pass).to(at::kDouble).log_softmax(-1);
  const at::Tensor all =
      network.logits(model::Head::masked_language, pass, batch.predicted).to(at::kDouble).log_softmax(-1);
  return all.slice(1, kFirstSymbol);
}

StudyEvaluation::StudyEvaluation(const Task& task, const Reading& reading, size_t sequences,
                                 std::optional<size_t> masked)
    : task_(task) {
  for (uint64_t index = 0; index < sequences; ++index)
    sequences_.push_back(task.draw(DataPart::evaluation, index, masked));
  constant_ = task.context_free();
  for (size_t begin = 0; begin < sequences; begin += kSequencesAtOnce) {
    const size_t count = std::min(kSequencesAtOnce, sequences - begin);
    const auto part = std::span(sequences_).subspan(begin, count);
    batches_.push_back(study_batch(task, part, reading, begin));
    std::vector<Matrix<double>> posteriors;
    for (const TaskSequence& sequence : part) {
      posteriors.push_back(task.posterior(sequence));
      asked_ += sequence.asked.size();
      for (size_t row = 0; row < sequence.asked.size(); ++row)
        gap_ += divergence(posteriors.back().row(row), constant_);
    }
    posteriors_.push_back(rows_tensor(posteriors));
  }
  gap_ /= static_cast<double>(asked_);
}

at::Tensor StudyEvaluation::divergences(const Network& network, size_t batch) const {
  const at::NoGradGuard no_gradients;
  const at::Tensor& truth = posteriors_[batch];
  const at::Tensor model = log_probabilities(network, task_, batches_[batch]);
  return (at::xlogy(truth, truth) - truth * model).sum(-1);
}

double StudyEvaluation::excess_of(const Network& network) const {
  double sum = 0;
  for (size_t batch = 0; batch < batches_.size(); ++batch) sum += divergences(network, batch).sum().item<double>();
  return sum / static_cast<double>(asked_);
}

Excess StudyEvaluation::excess_with_strata(const Network& network) const {
  const auto* interaction = dynamic_cast<const InteractionTask*>(&task_);
  Excess result;
  double hidden_boundary = 0;
  bool has_boundary = false;
  size_t sequence = 0;
  for (size_t batch = 0; batch < batches_.size(); ++batch) {
    const at::Tensor all = divergences(network, batch);
    const auto* next = all.data_ptr<double>();
    for (const size_t end = sequence + batches_[batch].batch.texts(); sequence < end; ++sequence) {
      const Matrix<double> posterior = task_.posterior(sequences_[sequence]);
      const HiddenPosteriors hidden = task_.hidden_posteriors(sequences_[sequence]);
      const std::vector<std::string> names =
          interaction != nullptr ? strata_of(*interaction, sequences_[sequence]) : strata(posterior, hidden);
      const auto inferred = hidden.find(std::string(kBoundary));
      has_boundary |= inferred != hidden.end();
      for (size_t row = 0; row < names.size(); ++row) {
        Stratum& stratum = result.strata[names[row]];
        stratum.excess += *next;
        stratum.gap += divergence(posterior.row(row), constant_);
        ++stratum.asked;
        result.excess += *next++;
        if (inferred != hidden.end()) hidden_boundary += divergence(posterior.row(row), inferred->second.row(row));
      }
    }
  }
  const auto asked = static_cast<double>(asked_);
  result.excess /= asked;
  if (has_boundary) result.hidden_boundary = hidden_boundary / asked;
  for (auto& [name, stratum] : result.strata) {
    stratum.excess /= static_cast<double>(stratum.asked);
    stratum.gap /= static_cast<double>(stratum.asked);
  }
  return result;
}

}  // namespace summand::train
