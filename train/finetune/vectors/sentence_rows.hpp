#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/batch.hpp"
#include "text/tokenizer.hpp"
#include "train/finetune/labelled/labelled_file.hpp"

namespace summand::train {

/// A text as a network reads it.
struct Sentence {
  std::vector<int32_t> ids = {};       ///< [tokens]
  std::vector<int32_t> segments = {};  ///< [tokens]
  size_t number = 0;                   ///< equal for texts with the same tokens
};

/// Rows of one text, or of several that are read one by one: two that belong together, then perhaps a hard negative.
struct SentenceRows {
  size_t texts_per_row = 1;
  std::vector<Sentence> texts = {};  ///< [rows · texts_per_row], row by row
  ReadCount read = {};               ///< of the texts

  [[nodiscard]] size_t rows() const { return texts.size() / texts_per_row; }
  [[nodiscard]] const Sentence& text(size_t row, size_t which) const { return texts[row * texts_per_row + which]; }
};

/// How rows become tokens.
struct SentenceReading {
  size_t texts_per_row = 1;  ///< 1 to 3
  std::string prompt = {};   ///< before every text
  TokenizeOptions cut = {};
};

/// @param negatives  [rows], the third text of each where three are read
/// @throws TextError naming the row: without a second text where two are read, or as text::Tokenizer::encode()
[[nodiscard]] SentenceRows encode_sentences(std::span<const LabelledText> rows, std::span<const std::string> negatives,
                                            const text::Tokenizer& tokenizer, const SentenceReading& reading);

/// The texts of some rows, row by row, as a batch.
[[nodiscard]] model::Batch batch_of(const SentenceRows& rows, std::span<const size_t> chosen);

/// Divides rows into consecutive parts of at most so many tokens, or one row.
/// @return where parts begin, and the number of rows
[[nodiscard]] std::vector<size_t> divide_rows(const SentenceRows& rows, std::span<const size_t> chosen,
                                              size_t most_tokens);

}  // namespace summand::train
