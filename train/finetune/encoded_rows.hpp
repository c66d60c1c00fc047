#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/batch.hpp"
#include "text/tokenizer.hpp"
#include "train/finetune/labels.hpp"

namespace summand::train {

/// The target of a token that has none: PyTorch's ignore_index.
constexpr int32_t kNoLabel = -100;

/// A row as a network reads it.
struct EncodedRow {
  std::vector<int32_t> ids;       ///< [tokens]
  std::vector<int32_t> segments;  ///< [tokens]
  /// The label; all labels; or, by word, [tokens]: that of a word's first piece, kNoLabel elsewhere. Empty without.
  std::vector<int32_t> labels;
  double number = 0;           ///< of LabelShape::number
  std::vector<int32_t> words;  ///< by word, [tokens]: the word whose first piece it is, -1 elsewhere
};

struct EncodedRows {
  std::vector<EncodedRow> rows;
  size_t cut = 0;         ///< rows that lost tokens
  size_t lost_words = 0;  ///< words without their first piece: cut, or nothing that the tokenizer keeps
};

/// Tokens of every row, and its targets if it has a label.
/// @param names  of the labels; null for numbers
/// @param cut  how, and to how many tokens
/// @throws TextError naming the row
[[nodiscard]] EncodedRows encode_rows(std::span<const LabelledText> rows, const text::Tokenizer& tokenizer,
                                      LabelShape shape, const LabelNames* names, const TokenizeOptions& cut);

/// Some rows as a batch.
[[nodiscard]] model::Batch batch_of(std::span<const EncodedRow> rows, std::span<const size_t> chosen);

}  // namespace summand::train
