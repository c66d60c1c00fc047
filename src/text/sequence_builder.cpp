#include "text/sequence_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "text/truncation.hpp"

namespace summand::text {

namespace {

KeptTokens keep(std::span<const Token> tokens, size_t room, Truncation truncation, TruncationSide side) {
  if (keeps_end(truncation, side)) return {.front = tokens.last(room)};
  if (truncation != Truncation::head_tail || tokens.size() <= room) return {.front = tokens.first(room)};
  return {.front = tokens.first(head_length(room)), .back = tokens.last(room - head_length(room))};
}

void append_tokens(std::span<const Token> tokens, Encoding& encoding) {
  for (const Token& token : tokens) {
    encoding.ids.push_back(token.id);
    encoding.offsets.push_back({token.begin, token.end});
    encoding.words.push_back(token.word);
  }
}

void append_text(const KeptTokens& kept, Encoding& encoding) {
  append_tokens(kept.front, encoding);
  append_tokens(kept.back, encoding);
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
  encoding.cut = 0;
  encoding.second = {};
  encoding.ids.reserve(expected);
  encoding.segments.reserve(expected);
  encoding.offsets.reserve(expected);
  encoding.words.reserve(expected);
  encoding.special.reserve(expected);
}

}  // namespace

void put_together(const SpecialTemplate& special, SpecialTokens special_tokens, const KeptTexts& kept,
                  Encoding& encoding) {
  clear(encoding, kept.first.size() + kept.second.size() + special.special_tokens());
  for (const SpecialTemplate::Piece& piece : special.pieces) {
    switch (piece.kind) {
      case SpecialTemplate::Kind::special:
        if (special_tokens == SpecialTokens::omit) break;
        append_special(piece.ids, encoding);
        encoding.special.resize(encoding.ids.size(), 1);
        break;
      case SpecialTemplate::Kind::first:
        append_text(kept.first, encoding);
        break;
      case SpecialTemplate::Kind::second:
        encoding.second = {encoding.ids.size(), encoding.ids.size() + kept.second.size()};
        append_text(kept.second, encoding);
        break;
    }
    encoding.special.resize(encoding.ids.size(), 0);
    encoding.segments.resize(encoding.ids.size(), piece.segment);
  }
}

void build_sequence(const TokenizerSettings& settings, const std::vector<Token>& first,
                    const std::vector<Token>* second, const EncodeOptions& options, Encoding& encoding) {
  const SpecialTemplate& special = second ? settings.templates.pair : settings.templates.single;
  const CutLengths lengths = lengths_to_keep(special, first, second, options);
  KeptTexts kept{.first = keep(first, lengths.first, options.truncation, settings.truncation_side)};
  if (second) kept.second = keep(*second, lengths.second, options.truncation, settings.truncation_side);
  put_together(special, options.special_tokens, kept, encoding);
  encoding.cut = first.size() - lengths.first + (second ? second->size() - lengths.second : 0);
}

}  // namespace summand::text
