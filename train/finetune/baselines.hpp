#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/finetune/evaluation.hpp"
#include "train/finetune/finetune_options.hpp"
#include "train/finetune/judge.hpp"

namespace summand::train {

/// What a network has to beat, learned on the same rows: the most common answer, or the mean, whatever the text; and a
/// logistic or ridge regression on the tokens without their order, or, of words, each word's most common label.
/// @param names  of the labels; empty for numbers
[[nodiscard]] std::vector<Baseline> baselines(const FinetuneOptions& options, const LabelledRows& train,
                                              const LabelledRows& rows, std::span<const std::string> names);

}  // namespace summand::train
