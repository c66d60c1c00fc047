#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/batch.hpp"
#include "summand/windows.hpp"
#include "text/tokenizer.hpp"
#include "train/finetune/labelled/labels.hpp"

namespace summand::train {

/// The target of a token that has none: PyTorch's ignore_index.
constexpr int32_t kNoLabel = -100;

/// A part of a row that is too long, with its special tokens.
struct RowWindow {
  std::vector<int32_t> ids;       ///< [tokens]
  std::vector<int32_t> segments;  ///< [tokens]
  std::vector<int32_t> places;    ///< by word, [tokens]: of the row's tokens, -1 for special ones
};

/// A row as a network reads it.
struct EncodedRow {
  std::vector<int32_t> ids;        ///< [tokens], of the whole row
  std::vector<int32_t> segments;   ///< [tokens]
  std::vector<RowWindow> windows;  ///< what is read instead of a row that is too long; else empty
  /// The label; all labels; or, by word, [tokens]: that of a word's first piece, kNoLabel elsewhere. Empty without.
  std::vector<int32_t> labels;
  double number = 0;           ///< of LabelShape::number
  std::vector<int32_t> words;  ///< by word, [tokens]: the word whose first piece it is, -1 elsewhere

  /// Tokens that the network reads: with windows, more than the row has.
  [[nodiscard]] size_t tokens_read() const;
  /// Texts of a batch that it becomes: its windows, or itself.
  [[nodiscard]] size_t texts_read() const { return windows.empty() ? 1 : windows.size(); }
};

struct EncodedRows {
  std::vector<EncodedRow> rows;
  ReadCount read = {};    ///< of the rows as they were cut, or whole where windows read them
  size_t divided = 0;     ///< rows that have windows
  size_t windows = 0;     ///< of these rows
  size_t shortened = 0;   ///< of these rows, those that have more windows than they may have: cut behind them
  size_t lost_words = 0;  ///< words without their first piece: cut, or nothing that the tokenizer keeps
};

/// How texts become tokens.
struct RowReading {
  LabelShape shape = LabelShape::one;
  TokenizeOptions cut = {};                                  ///< how, and to how many tokens
  std::optional<WindowOptions> windows = {};                 ///< of at most cut.max_length tokens, instead of cutting
  size_t most_windows = std::numeric_limits<size_t>::max();  ///< of a row
};

/// Tokens of every row, and its targets if it has a label.
/// @param names  of the labels; null for numbers
/// @throws TextError naming the row
[[nodiscard]] EncodedRows encode_rows(std::span<const LabelledText> rows, const text::Tokenizer& tokenizer,
                                      const LabelNames* names, const RowReading& reading);

/// Some rows as a batch, each as one text or as its windows.
[[nodiscard]] model::Batch batch_of(std::span<const EncodedRow> rows, std::span<const size_t> chosen);

}  // namespace summand::train
