#pragma once

#include "train/finetune/labelled/labelled_data.hpp"

namespace summand::train {

/// The checkpoint with the task's head: its own where its labels are these, else one whose parameters are missing, and
/// will be drawn.
/// @throws ConfigError if it cannot be trained
[[nodiscard]] InitialModel labelled_model(const TaskInputs& inputs, const LabelledData& data);

}  // namespace summand::train
