#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "train/finetune/finetune_options.hpp"
#include "train/finetune/judging/evaluation.hpp"
#include "train/finetune/judging/judge.hpp"

namespace summand::train {

/// A baseline that has learned, and judges any rows.
struct FittedBaseline {
  std::string name;
  std::function<std::vector<Score>(const LabelledRows&)> scores;
};

struct FittedBaselines {
  std::vector<FittedBaseline> all = {};
  std::string left_out = {};  ///< a line on the one that would have taken too long; empty if none would
};

/// What a network has to beat, learned on the same rows: the most common answer, or the mean, whatever the text; and a
/// logistic or ridge regression on the tokens without their order, or, of words, each word's most common label.
/// @param names  of the labels; empty for numbers
/// @throws Interrupted
[[nodiscard]] FittedBaselines fit_baselines(const FinetuneOptions& options, const LabelledRows& train,
                                            std::span<const std::string> names);

}  // namespace summand::train
