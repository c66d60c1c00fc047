#include "train/finetune/labelled/row_loss.hpp"

#include <utility>

namespace summand::train {

namespace {

/// Labels of rows or tokens, one after the other.
at::Tensor one_label_targets(std::span<const EncodedRow> rows, std::span<const size_t> chosen,
                             const Placement& placement) {
  std::vector<int32_t> targets;
  for (const size_t row : chosen) targets.insert(targets.end(), rows[row].labels.begin(), rows[row].labels.end());
  return index_tensor(std::span<const int32_t>(targets), placement);
}

/// [rows, labels], 0 or 1
Matrix<double> label_sets(std::span<const EncodedRow> rows, std::span<const size_t> chosen, size_t labels) {
  Matrix<double> sets(chosen.size(), labels);
  for (size_t i = 0; i < chosen.size(); ++i) {
    for (const int32_t label : rows[chosen[i]].labels) sets(i, static_cast<size_t>(label)) = 1;
  }
  return sets;
}

/// [rows, 1]
Matrix<double> numbers_of(std::span<const EncodedRow> rows, std::span<const size_t> chosen) {
  Matrix<double> numbers(chosen.size(), 1);
  for (size_t i = 0; i < chosen.size(); ++i) numbers(i, 0) = rows[chosen[i]].number;
  return numbers;
}

}  // namespace

RowLoss::RowLoss(Objective objective, size_t labels, std::vector<double> label_weights)
    : objective_(objective), labels_(labels), label_weights_(std::move(label_weights)) {}

double RowLoss::denominator(std::span<const EncodedRow> rows, std::span<const size_t> chosen) const {
  const auto count = static_cast<double>(chosen.size());
  switch (objective_) {
    case Objective::several_labels:
      return count * static_cast<double>(labels_);
    case Objective::number:
    case Objective::relevance:
      return count;
    case Objective::one_label:
      break;
  }
  double sum = 0;
  for (const size_t row : chosen) {
    for (const int32_t label : rows[row].labels) {
      if (label == kNoLabel) continue;
      sum += label_weights_.empty() ? 1 : label_weights_[static_cast<size_t>(label)];
    }
  }
  return sum;
}

at::Tensor RowLoss::weights(const at::Tensor& like) const {
  if (label_weights_.empty()) return {};
  return at::tensor(label_weights_, at::TensorOptions().dtype(at::kFloat)).to(like.device());
}

at::Tensor RowLoss::sum(const at::Tensor& logits, std::span<const EncodedRow> rows,
                        std::span<const size_t> chosen) const {
  const at::Tensor single = logits.to(at::kFloat);
  const Placement placement{.type = at::kFloat, .device = single.device()};
  switch (objective_) {
    case Objective::one_label:
      return at::cross_entropy_loss(single, one_label_targets(rows, chosen, placement), weights(single),
                                    at::Reduction::Sum, kNoLabel);
    case Objective::several_labels:
      return at::binary_cross_entropy_with_logits(single, tensor_of(label_sets(rows, chosen, labels_), placement), {},
                                                  weights(single), at::Reduction::Sum);
    case Objective::number:
      return at::mse_loss(single, tensor_of(numbers_of(rows, chosen), placement), at::Reduction::Sum);
    case Objective::relevance:
      return at::binary_cross_entropy_with_logits(single, tensor_of(numbers_of(rows, chosen), placement), {}, {},
                                                  at::Reduction::Sum);
  }
  __builtin_unreachable();
}

}  // namespace summand::train
