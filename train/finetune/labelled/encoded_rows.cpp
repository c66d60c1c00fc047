#include "train/finetune/labelled/encoded_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "text/encode_text.hpp"

namespace summand::train {

namespace {

/// Of each token of a window its place in the row.
/// @param leading  special tokens at the row's beginning
std::vector<int32_t> places_of(const text::DividedText& divided, size_t window, size_t tokens, size_t leading) {
  const Range& range = divided.range(window);
  std::vector<int32_t> places(tokens, -1);
  for (size_t i = 0; i < range.size(); ++i) {
    places[divided.leading() + i] = static_cast<int32_t>(leading + range.begin + i);
  }
  return places;
}

/// @param encoding  of the whole row
std::vector<RowWindow> windows_of(const text::DividedText& divided, const Encoding& encoding, LabelShape shape) {
  const auto leading = static_cast<size_t>(std::ranges::find(encoding.special, 0) - encoding.special.begin());
  std::vector<RowWindow> windows;
  for (size_t window = 0; window < divided.windows(); ++window) {
    Encoding own = divided.window(window);
    RowWindow& added = windows.emplace_back();
    if (shape == LabelShape::by_word) added.places = places_of(divided, window, own.ids.size(), leading);
    added.ids = std::move(own.ids);
    added.segments = std::move(own.segments);
  }
  return windows;
}

/// A row's tokens as it was read.
struct ReadRow {
  Encoding encoding;                    ///< whole, or cut
  std::vector<RowWindow> windows = {};  ///< if it is divided
  bool shortened = false;
};

ReadRow read_row(const LabelledText& row, const text::Tokenizer& tokenizer, const RowReading& reading) {
  try {
    if (!reading.windows) return {.encoding = text::encode(tokenizer, row.text, reading.cut)};
    const text::DividedText divided = text::divide(tokenizer, row.text,
                                                   {.max_length = reading.cut.max_length.value(),
                                                    .overlap = reading.windows->overlap,
                                                    .most_windows = reading.most_windows});
    ReadRow read{.encoding = divided.whole(), .shortened = divided.cut() > 0};
    if (divided.windows() > 1 || read.shortened) read.windows = windows_of(divided, read.encoding, reading.shape);
    return read;
  } catch (const TextError& error) {
    throw error_in_row(row, error);
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
  const Encoding whole = text::encode(tokenizer, row.text, options);
  const std::vector<int32_t> of_whole = first_pieces(whole);
  std::vector<int32_t> words(encoding.ids.size(), -1);
  size_t next = 0;
  for (size_t token = 0; token < words.size(); ++token) {
    while (!same_token(encoding, token, whole, next)) ++next;
    words[token] = of_whole[next++];
  }
  return words;
}

/// A row's number, whose squared error single precision can hold.
double learnable_number(const LabelledText& row) {
  constexpr double kLargest = 1e15;
  const double number = number_of(row);
  if (std::abs(number) <= kLargest) return number;
  throw TextError(row.where,
                  fmt::format("expected a number from {:g} to {:g} as label, got {}", -kLargest, kLargest, number));
}

}  // namespace

size_t EncodedRow::tokens_read() const {
  if (windows.empty()) return ids.size();
  size_t sum = 0;
  for (const RowWindow& window : windows) sum += window.ids.size();
  return sum;
}

EncodedRows encode_rows(std::span<const LabelledText> rows, const text::Tokenizer& tokenizer, const LabelNames* names,
                        const RowReading& reading) {
  const LabelShape shape = reading.shape;
  EncodedRows result;
  for (const LabelledText& row : rows) {
    EncodedRow encoded;
    ReadRow read = read_row(row, tokenizer, reading);
    Encoding& encoding = read.encoding;
    encoded.windows = std::move(read.windows);
    if (read.shortened) ++result.shortened;
    const bool labelled = !row.label.empty();
    if (labelled && shape == LabelShape::number) encoded.number = learnable_number(row);
    if (labelled && names != nullptr) encoded.labels = names->indices(row, shape);
    if (shape == LabelShape::by_word) {
      encoded.words = first_pieces(encoding, row, tokenizer, reading.cut);
      std::vector<int32_t> by_token(labelled ? encoded.words.size() : 0, kNoLabel);
      for (size_t token = 0; token < by_token.size(); ++token) {
        if (encoded.words[token] >= 0) by_token[token] = encoded.labels[static_cast<size_t>(encoded.words[token])];
      }
      encoded.labels = std::move(by_token);
      const auto kept = std::ranges::count_if(encoded.words, [](int32_t word) { return word >= 0; });
      result.lost_words += row.text.words->size() - static_cast<size_t>(kept);
    }
    text::add_to(result.read, encoding, tokenizer);
    if (!encoded.windows.empty()) ++result.divided;
    result.windows += encoded.windows.size();
    encoded.ids = std::move(encoding.ids);
    encoded.segments = std::move(encoding.segments);
    result.rows.push_back(std::move(encoded));
  }
  return result;
}

model::Batch batch_of(std::span<const EncodedRow> rows, std::span<const size_t> chosen) {
  model::Batch batch;
  for (const size_t row : chosen) {
    if (rows[row].windows.empty()) batch.add(rows[row].ids, rows[row].segments);
    for (const RowWindow& window : rows[row].windows) batch.add(window.ids, window.segments);
  }
  return batch;
}

}  // namespace summand::train
