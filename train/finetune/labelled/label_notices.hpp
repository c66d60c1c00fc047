#pragma once

#include <optional>
#include <span>
#include <string>

#include "train/finetune/labelled/encoded_rows.hpp"
#include "train/finetune/labelled/labelled_data.hpp"

namespace summand::train {

/// Of rows with one label each that are judged: whether all have the same, or which labels have none of them.
[[nodiscard]] std::optional<std::string> judged_labels_notice(std::span<const EncodedRow> rows,
                                                              std::span<const std::string> names,
                                                              const std::string& path);

/// Labels of a single row to train on can be learned, but not judged.
[[nodiscard]] std::optional<std::string> rare_label_notice(const LabelledRows& train,
                                                           std::span<const std::string> names);

/// Of rows to rank, where no query has two.
[[nodiscard]] std::optional<std::string> lone_rows_notice(std::span<const LabelledText> rows, const std::string& name);

}  // namespace summand::train
