#include "train/finetune/encoded_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace summand::train {

namespace {

Encoding encoding_of(const LabelledText& row, const text::Tokenizer& tokenizer, const TokenizeOptions& cut) {
  const Text& text = row.text;
  try {
    if (text.words) return tokenizer.encode_words(*text.words, cut);
    if (text.text_pair) return tokenizer.encode_pair(text.text, *text.text_pair, cut);
    return tokenizer.encode(text.text, cut);
  } catch (const TextError& error) {
    throw TextError(row.where, error.message());
  }
}

/// Of each token of a whole encoding the word whose first piece it is, or -1.
std::vector<int32_t> first_pieces(const Encoding& whole) {
  std::vector<int32_t> words(whole.ids.size(), -1);
  int32_t last = -1;
  for (size_t token = 0; token < words.size(); ++token) {
    if (whole.special[token] != 0 || whole.words[token] <= last) continue;
    last = whole.words[token];
    words[token] = last;
  }
  return words;
}

bool same_token(const Encoding& one, size_t token, const Encoding& other, size_t other_token) {
  return one.words[token] == other.words[other_token] && one.ids[token] == other.ids[other_token] &&
         one.offsets[token] == other.offsets[other_token];
}

/// The same of a row's encoding, which may be cut anywhere: a word whose first piece is lost has none.
std::vector<int32_t> first_pieces(const Encoding& encoding, const LabelledText& row, const text::Tokenizer& tokenizer,
                                  TokenizeOptions options) {
  if (encoding.cut == 0) return first_pieces(encoding);
  options.max_length.reset();
  const Encoding whole = encoding_of(row, tokenizer, options);
  const std::vector<int32_t> of_whole = first_pieces(whole);
  std::vector<int32_t> words(encoding.ids.size(), -1);
  size_t next = 0;
  for (size_t token = 0; token < words.size(); ++token) {
    while (!same_token(encoding, token, whole, next)) ++next;
    words[token] = of_whole[next++];
  }
  return words;
}

}  // namespace

EncodedRows encode_rows(std::span<const LabelledText> rows, const text::Tokenizer& tokenizer, LabelShape shape,
                        const LabelNames* names, const TokenizeOptions& cut) {
  EncodedRows result;
  for (const LabelledText& row : rows) {
    Encoding encoding = encoding_of(row, tokenizer, cut);
    EncodedRow encoded;
    const bool labelled = !row.label.empty();
    if (labelled && shape == LabelShape::number) encoded.number = number_of(row);
    if (labelled && names != nullptr) encoded.labels = names->indices(row, shape);
    if (shape == LabelShape::by_word) {
      encoded.words = first_pieces(encoding, row, tokenizer, cut);
      std::vector<int32_t> by_token(labelled ? encoded.words.size() : 0, kNoLabel);
      for (size_t token = 0; token < by_token.size(); ++token) {
        if (encoded.words[token] >= 0) by_token[token] = encoded.labels[static_cast<size_t>(encoded.words[token])];
      }
      encoded.labels = std::move(by_token);
      const auto kept = std::ranges::count_if(encoded.words, [](int32_t word) { return word >= 0; });
      result.lost_words += row.text.words->size() - static_cast<size_t>(kept);
    }
    if (encoding.cut > 0) ++result.cut;
    encoded.ids = std::move(encoding.ids);
    encoded.segments = std::move(encoding.segments);
    result.rows.push_back(std::move(encoded));
  }
  return result;
}

model::Batch batch_of(std::span<const EncodedRow> rows, std::span<const size_t> chosen) {
  model::Batch batch;
  for (const size_t row : chosen) batch.add(rows[row].ids, rows[row].segments);
  return batch;
}

}  // namespace summand::train
