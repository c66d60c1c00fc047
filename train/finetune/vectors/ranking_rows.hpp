#pragma once

#include <optional>
#include <span>
#include <string>

#include "train/finetune/labelled/labelled_file.hpp"
#include "train/finetune/vectors/sentence_rows.hpp"

namespace summand::train {

/// Rows of which ranking can learn: at least one has a wrong text in the file, another row's or a hard negative.
/// @throws TextError naming the file
void check_ranking_rows(const SentenceRows& rows, const std::string& file);

/// How many rows have no wrong text in their group of ranking_groups(), and the first of them; nothing if all have one.
/// @param texts  [rows]
/// @param name  of the rows: a file, or "the validation's share"
[[nodiscard]] std::optional<std::string> incomparable_rows_line(const SentenceRows& rows,
                                                                std::span<const LabelledText> texts,
                                                                const std::string& name);

}  // namespace summand::train
