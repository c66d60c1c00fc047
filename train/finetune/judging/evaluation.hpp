#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "train/finetune/judging/scores.hpp"

namespace summand::train {

/// The same scores of something simpler than the network.
struct Baseline {
  std::string name;  ///< "most common label", "bag of words"
  std::vector<Score> scores;
};

/// A row or a word that the network got wrong.
struct Mistake {
  std::string where;      ///< "file:line"
  std::string text;       ///< for a reader; of a word, with it in brackets
  std::string truth;      ///< label or number
  std::string predicted;  ///< likewise
  double severity = 0;    ///< larger is worse: the probability of the wrong label, or how far a number is off
};

/// Counts of (truth, prediction).
struct Confusion {
  std::vector<std::string> labels;  ///< the most common ones of the truth, in the model's order
  size_t of_labels = 0;             ///< how many the model has
  Matrix<uint64_t> counts;          ///< [labels, labels], truth by prediction
};

/// What a network makes of some rows.
struct Evaluation {
  size_t rows = 0;
  std::vector<Score> scores = {};  ///< empty without truth
  std::vector<Baseline> baselines = {};
  std::optional<Confusion> confusion = {};    ///< none where it makes no sense
  std::vector<Mistake> mistakes = {};         ///< the worst first, some
  std::vector<std::string> predictions = {};  ///< a JSON object for each row
};

}  // namespace summand::train
