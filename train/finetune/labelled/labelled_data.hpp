#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/finetune/finetuning_task.hpp"
#include "train/finetune/labelled/encoded_rows.hpp"
#include "train/finetune/labelled/labelled_file.hpp"
#include "train/finetune/labelled/labels.hpp"

namespace summand::train {

/// Rows as they were read and as a network reads them.
struct LabelledRows {
  std::vector<LabelledText> texts;
  EncodedRows encoded;

  [[nodiscard]] size_t size() const { return texts.size(); }
};

/// The rows of a run's files.
struct LabelledData {
  LabelledRows train, valid;
  std::optional<LabelledRows> test, predict;
  std::string train_hash, valid_hash;  ///< of the files' rows; the latter is empty where rows were split off
  std::optional<LabelNames> names;     ///< none for numbers
  bool keeps_head = false;             ///< the checkpoint has a head with these labels, in this order
  std::vector<std::string> notices;    ///< what the user should know, one line each
};

/// Reads, splits and encodes them.
/// @throws Error naming the file and the line
[[nodiscard]] LabelledData read_labelled_data(const TaskInputs& inputs);

/// Most tokens of a row: as given, or what model and tokenizer allow.
/// @throws UsageError if more is asked for than the model has positions
[[nodiscard]] size_t longest_row(const TaskInputs& inputs);

}  // namespace summand::train
