#include "api/heads/tag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/batches/batch_taps.hpp"
#include "api/batches/distinct_records.hpp"
#include "api/heads/require_head.hpp"
#include "api/heads/scores.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"

namespace summand {

std::span<const model::EnumName<Aggregation>> enum_names(Aggregation) {
  using model::EnumName;
  static constexpr std::array names{
      EnumName{Aggregation::none, "none"},   EnumName{Aggregation::simple, "simple"},
      EnumName{Aggregation::first, "first"}, EnumName{Aggregation::average, "average"},
      EnumName{Aggregation::max, "max"},
  };
  return names;
}

}  // namespace summand

namespace summand::api {

namespace {

/// A token or a word before tags are put together.
struct Piece {
  std::string word;
  std::vector<double> scores;  ///< [labels]
  size_t label = 0;
  Range bytes, tokens, words;
  bool continues = false;  ///< belongs to the word before it
};

size_t characters_of(std::string_view text) {
  size_t characters = 0;
  for (; !text.empty(); ++characters) text.remove_prefix(decode_utf8(text).bytes);
  return characters;
}

/// The text that offsets count in: words already split have one space between them.
struct Source {
  explicit Source(const TextView& given) : text(given.words ? std::string_view() : given.text) {
    if (!given.words) return;
    for (const auto& word : *given.words) {
      if (!begins.empty()) text += ' ';
      begins.push_back(text.size());
      text += word;
    }
  }
  std::string text;
  std::vector<size_t> begins;  ///< of each word already split
};

size_t argmax(std::span<const double> scores) {
  return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

/// The tokens of the text itself, each with its scores.
std::vector<Piece> split_pieces(const text::Tokenizer& tokenizer, const TokenScores& text) {
  const Source source(text.text);
  const auto& encoding = text.encoding;
  std::vector<Piece> pieces;
  for (size_t token = 0; token < encoding.ids.size(); ++token) {
    if (encoding.special[token] != 0) continue;
    const auto word = static_cast<size_t>(encoding.words[token]);
    const size_t shift = source.begins.empty() ? 0 : source.begins[word];
    Piece piece{.word = std::string(tokenizer.token(encoding.ids[token])),
                .scores = to_scores(text.logits.row(token), ScoreFunction::softmax),
                .bytes = {encoding.offsets[token].begin + shift, encoding.offsets[token].end + shift},
                .tokens = {token, token + 1},
                .words = {word, word + 1}};
    piece.label = argmax(piece.scores);
    const auto written = std::string_view(source.text).substr(piece.bytes.begin, piece.bytes.end - piece.bytes.begin);
    if (encoding.ids[token] == tokenizer.unk_id()) {
      piece.word = written;
    } else {
      // As in transformers: a token as long as its text begins a word.
      piece.continues = characters_of(piece.word) != characters_of(written);
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string joined(const text::Tokenizer& tokenizer, std::span<const Piece> pieces) {
  std::vector<std::string_view> words;
  for (const auto& piece : pieces) words.push_back(piece.word);
  return tokenizer.join(words);
}

/// What pieces that follow one another have in common: text, bytes, tokens and words.
Piece merge_pieces(const text::Tokenizer& tokenizer, std::span<const Piece> pieces) {
  return {.word = joined(tokenizer, pieces),
          .scores = {},
          .label = 0,
          .bytes = {pieces.front().bytes.begin, pieces.back().bytes.end},
          .tokens = {pieces.front().tokens.begin, pieces.back().tokens.end},
          .words = {pieces.front().words.begin, pieces.back().words.end}};
}

std::vector<double> mean_scores(std::span<const Piece> pieces) {
  std::vector<double> mean(pieces.front().scores.size());
  for (const auto& piece : pieces) {
    for (size_t label = 0; label < mean.size(); ++label) mean[label] += piece.scores[label];
  }
  for (double& score : mean) score /= static_cast<double>(pieces.size());
  return mean;
}

/// The scores of a word, by those of its tokens.
std::vector<double> word_scores(std::span<const Piece> tokens, Aggregation aggregation) {
  const auto surest = [](const Piece& piece) { return piece.scores[piece.label]; };
  switch (aggregation) {
    case Aggregation::none:
    case Aggregation::simple:
    case Aggregation::first:
      return tokens.front().scores;
    case Aggregation::average:
      return mean_scores(tokens);
    case Aggregation::max:
      return std::ranges::max_element(tokens, {}, surest)->scores;
  }
  __builtin_unreachable();
}

/// Tokens to words: each with the tokens behind it that continue it.
std::vector<Piece> words_of(const text::Tokenizer& tokenizer, std::span<const Piece> tokens, Aggregation aggregation) {
  std::vector<Piece> words;
  for (size_t begin = 0; begin < tokens.size();) {
    size_t end = begin + 1;
    while (end < tokens.size() && tokens[end].continues) ++end;
    const auto of_word = tokens.subspan(begin, end - begin);
    Piece word = merge_pieces(tokenizer, of_word);
    word.scores = word_scores(of_word, aggregation);
    word.label = argmax(word.scores);
    words.push_back(std::move(word));
    begin = end;
  }
  return words;
}

/// A label split in two: whether it begins a tag, and its name.
struct LabelParts {
  explicit LabelParts(std::string_view label) : begins(label.starts_with("B-")), name(label) {
    if (begins || label.starts_with("I-")) name.remove_prefix(2);
  }
  bool begins;
  std::string_view name;
};

Tag tag_of(const Piece& piece, std::string_view label, double score) {
  return {.label = std::string(label),
          .score = score,
          .word = piece.word,
          .bytes = piece.bytes,
          .tokens = piece.tokens,
          .words = piece.words};
}

/// Puts neighbours of one name together, up to the next that begins a tag.
std::vector<Tag> grouped(const text::Tokenizer& tokenizer, const model::Labels& labels, std::span<const Piece> pieces) {
  std::vector<Tag> tags;
  for (size_t begin = 0; begin < pieces.size();) {
    const std::string_view label = labels[pieces[begin].label];
    const LabelParts parts(label);
    double total = pieces[begin].scores[pieces[begin].label];
    size_t end = begin + 1;
    for (; end < pieces.size(); ++end) {
      const LabelParts next(labels[pieces[end].label]);
      if (next.begins || next.name != parts.name) break;
      total += pieces[end].scores[pieces[end].label];
    }
    // As transformers names a group: the part after the first hyphen.
    const auto group = label.substr(label.find('-') + 1);
    const auto of_group = pieces.subspan(begin, end - begin);
    tags.push_back(tag_of(merge_pieces(tokenizer, of_group), group, total / static_cast<double>(end - begin)));
    begin = end;
  }
  return tags;
}

}  // namespace

std::vector<Tag> make_tags(const text::Tokenizer& tokenizer, const model::Labels& labels, const TokenScores& text,
                           Aggregation aggregation) {
  const auto pieces = split_pieces(tokenizer, text);
  std::vector<Tag> tags;
  switch (aggregation) {
    case Aggregation::none:
      for (const auto& piece : pieces) tags.push_back(tag_of(piece, labels[piece.label], piece.scores[piece.label]));
      break;
    case Aggregation::simple:
      tags = grouped(tokenizer, labels, pieces);
      break;
    case Aggregation::first:
    case Aggregation::average:
    case Aggregation::max:
      tags = grouped(tokenizer, labels, words_of(tokenizer, pieces, aggregation));
      break;
  }
  std::erase_if(tags, [](const Tag& tag) { return tag.label == "O"; });
  return tags;
}

namespace {

/// The logits of a text's tokens, those that several windows hold combined; zeros for special tokens, which are never
/// looked at.
/// @param first_row  of the text's windows
/// @param logits  [tokens of what was computed, labels]
/// @return [tokens of the whole text, labels]
Matrix<float> combined_logits(const RecordBatch& batch, size_t text, size_t first_row, MatrixView<const float> logits,
                              WindowPooling pooling) {
  const auto& special = batch.encodings[text].special;
  const auto leading = static_cast<size_t>(std::ranges::find(special, 0) - special.begin());
  std::vector<WindowCombiner> tokens(special.size(), WindowCombiner(pooling));
  for (size_t window = batch.sequences[text]; window < batch.sequences[text + 1]; ++window) {
    const auto& place = batch.places[window];
    const size_t own_row = first_row + place.leading;
    for (size_t token = place.tokens.begin; token < place.tokens.end; ++token) {
      tokens[leading + token].add(logits.row(own_row + token - place.tokens.begin));
    }
    first_row += batch.batch.length(window);
  }
  Matrix<float> combined(special.size(), logits.columns());
  for (size_t token = 0; token < tokens.size(); ++token) {
    std::ranges::copy(tokens[token].combined(), combined.row(token).begin());
  }
  return combined;
}

}  // namespace

std::vector<std::vector<Tag>> tag(const LoadedModel& model, RecordBatch& batch, const TagOptions& options) {
  require_head(model, model::Head::token_classification);
  for (size_t i = 0; i < batch.texts.size(); ++i) {
    if (batch.texts[i].text_pair) {
      throw TextError("tag", error_prefix(batch.first + i) + "expected one text, got a pair");
    }
  }
  const DistinctRecords distinct(batch, with_taps(options.taps, options.repeated));
  const auto& computed = distinct.batch();
  BatchTaps taps(options.taps, computed);
  const auto logits =
      engine::head_logits(model.engine(), computed.batch, model::Head::token_classification, {}, taps.for_engine());
  std::vector<std::vector<Tag>> texts;
  for (size_t text = 0; text < batch.texts.size(); ++text) {
    const size_t first_sequence = computed.sequences[distinct.index_in_batch(text)];
    const size_t first_row = computed.batch.offsets[first_sequence];
    Matrix<float> combined;
    if (options.windows) combined = combined_logits(batch, text, first_row, logits.view(), options.windows->pooling);
    const auto rows = options.windows ? std::as_const(combined).view()
                                      : logits.view().middle_rows(first_row, computed.batch.length(first_sequence));
    texts.push_back(make_tags(model.tokenizer(), model.config().labels,
                              {batch.texts[text], batch.encodings[text], rows}, options.aggregation));
  }
  return texts;
}

}  // namespace summand::api
