#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "train/finetune/vectors/ranking_loss.hpp"
#include "train/finetune/vectors/sentence_rows.hpp"

namespace summand::train {

/// Most rows among which validation and test look for each row's text. It is fixed, so that runs of any --batch-size
/// have comparable scores.
inline constexpr size_t kMostRankedRows = 64;

/// Consecutive rows in groups of at most kMostRankedRows; sizes differ by one at most.
/// @return where groups begin, and the number of rows
[[nodiscard]] std::vector<size_t> ranking_groups(size_t rows);

/// The texts of some pairs, or triples, by number.
[[nodiscard]] RowTexts row_texts(const SentenceRows& rows, std::span<const size_t> chosen);

/// Whether a row's group has a wrong text for it. Without one, its own text comes first whatever the model.
/// @return [rows], 0 or 1
[[nodiscard]] std::vector<uint8_t> comparable_rows(const SentenceRows& rows);

}  // namespace summand::train
