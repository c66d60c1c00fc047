#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "train/finetune/labelled/encoded_rows.hpp"

namespace summand::train {

/// The weight of each label's loss, [labels]; of rows with several labels, that of a label that holds (PyTorch's
/// pos_weight).
/// @param how  "none": empty. "balanced": rows / (labels · rows with the label), as scikit-learn; of several labels,
/// rows
///   without it / rows with it. Else a JSON file with a number from 1e-6 to 1e6 for each label.
/// @throws UsageError, IoError or ConfigError naming what is wrong with the file
[[nodiscard]] std::vector<double> class_weights(const std::string& how, std::span<const EncodedRow> rows,
                                                std::span<const std::string> names, LabelShape shape);

}  // namespace summand::train
