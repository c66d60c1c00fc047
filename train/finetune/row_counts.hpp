#pragma once

#include <span>
#include <string>

#include "train/finetune/labelled/encoded_rows.hpp"

namespace summand::train {

/// How many rows a run has: "train.tsv: 540 rows to train on (neg 279, pos 261), 60 to validate on, 200 to test on".
/// @param labels  as labels_told() has them, or empty
/// @param test  0: none
[[nodiscard]] std::string rows_told(const std::string& file, size_t train, const std::string& labels, size_t valid,
                                    size_t test);

/// How often each label occurs, or of many labels the rarest and the most common one: " (neg 279, pos 261)".
[[nodiscard]] std::string labels_told(std::span<const EncodedRow> rows, std::span<const std::string> names);

}  // namespace summand::train
