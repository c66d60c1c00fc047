#pragma once

#include <span>
#include <string>
#include <vector>

#include "text/input_record.hpp"
#include "train/finetune/labelled/labelled_file.hpp"

namespace summand::train {

/// One hard negative for each row of a file: a text that is near to the row's anchor and not right for it.
/// @param rules  their text is the column of negatives
/// @param rows  of the file, as read_labelled() read them
/// @return [rows]
/// @throws UsageError, IoError, TextError as inputs::InputFile; TextError naming the row if the negative is blank, or
/// one
///   of the row's other texts
[[nodiscard]] std::vector<std::string> read_hard_negatives(const std::string& path, const text::InputRules& rules,
                                                           std::span<const LabelledText> rows);

/// Hash of all of them, in their order.
[[nodiscard]] std::string hash_of_texts(std::span<const std::string> texts);

}  // namespace summand::train
