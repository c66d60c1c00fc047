#include "text/sequence_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "text/tokenizer.hpp"
#include "text/truncation.hpp"

namespace summand::text {

namespace {

// What stays of a text: its first `head` tokens and its last `tail`.
struct Kept {
  size_t head = 0;
  size_t tail = 0;
};

Kept keep(size_t length, size_t room, Truncation truncation) {
  if (truncation != Truncation::head_tail || length <= room) return {room, 0};
  return {head_length(room), room - head_length(room)};
}

void append_tokens(const std::vector<Token>& tokens, size_t begin, size_t count, Encoding& encoding) {
  for (size_t i = begin; i < begin + count; ++i) {
    const Token& token = tokens[i];
    encoding.ids.push_back(token.id);
    encoding.offsets.push_back({token.begin, token.end});
    encoding.words.push_back(token.word);
  }
}

void append_text(const std::vector<Token>& tokens, Kept kept, Encoding& encoding) {
  append_tokens(tokens, 0, kept.head, encoding);
  append_tokens(tokens, tokens.size() - kept.tail, kept.tail, encoding);
}

void append_special(const std::vector<int32_t>& ids, Encoding& encoding) {
  encoding.ids.insert(encoding.ids.end(), ids.begin(), ids.end());
  encoding.offsets.resize(encoding.ids.size());
  encoding.words.resize(encoding.ids.size(), -1);
}

CutLengths lengths_to_keep(const SpecialTemplate& special, const std::vector<Token>& first,
                           const std::vector<Token>* second, const EncodeOptions& options) {
  const size_t second_size = second ? second->size() : 0;
  if (!options.max_length) return {first.size(), second_size};
  const size_t added = options.special_tokens == SpecialTokens::add ? special.special_tokens() : 0;
  if (*options.max_length < added) {
    throw TextError("truncation", fmt::format("expected a length of at least {} for the special tokens, got {}", added,
                                              *options.max_length));
  }
  const TextLengths lengths{first.size(), second ? std::optional(second_size) : std::nullopt};
  return cut_lengths(options.truncation, lengths, *options.max_length - added, added);
}

void clear(Encoding& encoding, size_t expected) {
  encoding.ids.clear();
  encoding.segments.clear();
  encoding.offsets.clear();
  encoding.words.clear();
  encoding.special.clear();
  encoding.ids.reserve(expected);
  encoding.offsets.reserve(expected);
  encoding.words.reserve(expected);
}

}  // namespace

void build_sequence(const SpecialTemplates& templates, const std::vector<Token>& first,
                    const std::vector<Token>* second, const EncodeOptions& options, Encoding& encoding) {
  const SpecialTemplate& special = second ? templates.pair : templates.single;
  const CutLengths lengths = lengths_to_keep(special, first, second, options);
  clear(encoding, lengths.first + lengths.second + special.special_tokens());
  encoding.cut = first.size() - lengths.first + (second ? second->size() - lengths.second : 0);
  for (const SpecialTemplate::Piece& piece : special.pieces) {
    switch (piece.kind) {
      case SpecialTemplate::Kind::special:
        if (options.special_tokens == SpecialTokens::omit) break;
        append_special(piece.ids, encoding);
        encoding.special.resize(encoding.ids.size(), 1);
        break;
      case SpecialTemplate::Kind::first:
        append_text(first, keep(first.size(), lengths.first, options.truncation), encoding);
        break;
      case SpecialTemplate::Kind::second:
        append_text(*second, keep(second->size(), lengths.second, options.truncation), encoding);
        break;
    }
    encoding.special.resize(encoding.ids.size(), 0);
    encoding.segments.resize(encoding.ids.size(), piece.segment);
  }
}

}  // namespace summand::text
