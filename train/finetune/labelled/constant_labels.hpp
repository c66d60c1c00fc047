#pragma once

#include <string>
#include <vector>

#include "train/finetune/finetune.hpp"

namespace summand::train {

/// The numbers of a run's rows, to learn and to judge by.
struct NumberLabels {
  std::vector<double> train, valid, test;  ///< [rows]; without --test the last is empty
};

/// A line for each portion whose labels are all the same: nothing can be learned from them, and no score judged by them
/// depends on the model.
[[nodiscard]] std::vector<std::string> constant_label_lines(const FinetuneRequest& request, const NumberLabels& labels);

}  // namespace summand::train
