#include "train/finetune/vectors/sentence_rows.hpp"

#include <map>
#include <utility>

#include "base/error.hpp"
#include "text/encode_text.hpp"

namespace summand::train {

namespace {

/// Numbers lists of tokens in the order of their first appearance.
class Numbering {
 public:
  size_t operator()(const std::vector<int32_t>& ids) { return numbers_.emplace(ids, numbers_.size()).first->second; }

 private:
  std::map<std::vector<int32_t>, size_t> numbers_;
};

/// The first text of a row.
Encoding encode_first(const Text& text, const text::Tokenizer& tokenizer, const SentenceReading& reading) {
  if (text.words) return tokenizer.encode_words(*text.words, reading.cut);
  return tokenizer.encode(reading.prompt + text.text, reading.cut);
}

}  // namespace

SentenceRows encode_sentences(std::span<const LabelledText> rows, std::span<const std::string> negatives,
                              const text::Tokenizer& tokenizer, const SentenceReading& reading) {
  SentenceRows result{.texts_per_row = reading.texts_per_row};
  Numbering number;
  const auto add = [&](Encoding encoding) {
    text::add_to(result.read, encoding, tokenizer);
    const size_t own = number(encoding.ids);
    result.texts.push_back({.ids = std::move(encoding.ids), .segments = std::move(encoding.segments), .number = own});
  };
  for (size_t row = 0; row < rows.size(); ++row) {
    const LabelledText& of = rows[row];
    if (reading.texts_per_row > 1 && !of.text.text_pair) {
      throw TextError(of.where, "expected two texts, got one; --pair-column names the column of the second");
    }
    try {
      add(encode_first(of.text, tokenizer, reading));
      if (reading.texts_per_row > 1) add(tokenizer.encode(reading.prompt + *of.text.text_pair, reading.cut));
      if (reading.texts_per_row > 2) add(tokenizer.encode(reading.prompt + negatives[row], reading.cut));
    } catch (const TextError& error) {
      throw error_in_row(of, error);
    }
  }
  return result;
}

model::Batch batch_of(const SentenceRows& rows, std::span<const size_t> chosen) {
  model::Batch batch;
  for (const size_t row : chosen) {
    for (size_t which = 0; which < rows.texts_per_row; ++which) {
      const Sentence& text = rows.text(row, which);
      batch.add(text.ids, text.segments);
    }
  }
  return batch;
}

std::vector<size_t> divide_rows(const SentenceRows& rows, std::span<const size_t> chosen, size_t most_tokens) {
  std::vector<size_t> ends{0};
  size_t tokens = 0;
  for (size_t i = 0; i < chosen.size(); ++i) {
    size_t own = 0;
    for (size_t which = 0; which < rows.texts_per_row; ++which) own += rows.text(chosen[i], which).ids.size();
    if (i > ends.back() && tokens + own > most_tokens) {
      ends.push_back(i);
      tokens = 0;
    }
    tokens += own;
  }
  ends.push_back(chosen.size());
  return ends;
}

}  // namespace summand::train
