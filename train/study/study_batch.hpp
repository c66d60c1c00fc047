#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/data/masked_batch.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

/// The ids of the study's models: [PAD], [UNK], [CLS], [SEP], [MASK], then the symbols.
inline constexpr int32_t kFirstSymbol = 5;

/// The vocabulary as files of a tokenizer, by name: symbol 7 is the word "s7".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> study_tokenizer(size_t symbols, size_t positions);

/// Tokens of a sequence with [CLS] and [SEP].
[[nodiscard]] size_t tokens_of(const TaskSizes& sizes, bool separator);

/// How a model reads sequences.
struct Reading {
  bool separator = false;                ///< whether [SEP] stands between the segments
  std::optional<size_t> predicted = {};  ///< of the masked symbols, at random; if not all
  double misread = 0;                    ///< probability that a seen symbol reaches the model as another one
};

/// Sequences as the model reads them. `predicted` are the tokens that are asked, `targets` the ids of their symbols or
/// their labels.
/// @param seed  of what is misread and of what is predicted; another one for every call
/// Source: docs/study-tasks.md, "What all tasks share"
[[nodiscard]] MaskedBatch study_batch(const Task& task, std::span<const TaskSequence> sequences, const Reading& reading,
                                      uint64_t seed);

}  // namespace summand::train
