#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "train/finetune/labelled/encoded_rows.hpp"
#include "train/network/tensors.hpp"

namespace summand::train {

/// How logits and targets become a loss.
enum class Objective {
  one_label,       ///< cross-entropy of [rows, labels], or of [tokens, labels] without those of kNoLabel
  several_labels,  ///< binary cross-entropy of each label
  number,          ///< squared error of one output
  relevance,       ///< binary cross-entropy of one output
};

/// The loss of rows, as PyTorch's modules with reduction="mean" have it over all rows of a step.
class RowLoss {
 public:
  /// @param label_weights  [labels], or empty: all 1
  RowLoss(Objective objective, size_t labels, std::vector<double> label_weights = {});

  /// What the sum over a step's rows is divided by: the sum of the weights of their labels; rows times labels; or rows.
  [[nodiscard]] double denominator(std::span<const EncodedRow> rows, std::span<const size_t> chosen) const;

  /// Sum of the losses, in single precision.
  /// @param logits  of a batch of the chosen rows
  [[nodiscard]] at::Tensor sum(const at::Tensor& logits, std::span<const EncodedRow> rows,
                               std::span<const size_t> chosen) const;

  [[nodiscard]] const std::vector<double>& label_weights() const { return label_weights_; }

 private:
  [[nodiscard]] at::Tensor weights(const at::Tensor& like) const;

  Objective objective_;
  size_t labels_;
  std::vector<double> label_weights_;
};

}  // namespace summand::train
