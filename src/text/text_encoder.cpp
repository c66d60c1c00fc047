#include "text/text_encoder.hpp"

#include "base/utf8.hpp"

namespace summand::text {

TextEncoder::TextEncoder(const NormalizerSettings& settings, const std::vector<AddedToken>& added_tokens,
                         const WordPiece& word_piece, WordSplit word_split, SpecialTokensInText special_tokens)
    : settings_(settings),
      word_piece_(word_piece),
      word_split_(word_split),
      given_(added_tokens, AddedTokenMatcher::Text::given, special_tokens),
      normalized_(added_tokens, AddedTokenMatcher::Text::normalized, special_tokens),
      table_(settings, word_piece) {}

void TextEncoder::encode(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const {
  refuse_long_text(text);
  if (is_valid_utf8(text)) {
    encode_valid(text, Way::fast, scratch, tokens);
    return;
  }
  const RepairedText repaired(text);
  encode_valid(repaired.text(), Way::fast, scratch, tokens);
  for (Token& token : tokens) {
    token.begin = static_cast<uint32_t>(repaired.given_position(token.begin));
    token.end = static_cast<uint32_t>(repaired.given_position(token.end));
  }
}

void TextEncoder::encode_plainly(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const {
  encode_valid(text, Way::plain, scratch, tokens);
}

void TextEncoder::encode_valid(std::string_view text, Way way, Scratch& scratch, std::vector<Token>& tokens) const {
  tokens.clear();
  WordSplitter splitter(table_, settings_, word_piece_, scratch.word, tokens);
  given_.segment(text, scratch.segments);
  for (const auto& [id, begin, end] : scratch.segments) {
    if (begin == end) continue;
    const SourceRange range{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    if (id >= 0) {
      splitter.append(id, range);
    } else if (way == Way::plain || !normalized_.empty() || !has_fast_way()) {
      encode_normalized(text.substr(begin, end - begin), range.begin, splitter, scratch);
    } else {
      splitter.split(text.substr(begin, end - begin), range.begin);
    }
  }
}

void TextEncoder::encode_normalized(std::string_view piece, uint32_t origin, WordSplitter& splitter,
                                    Scratch& scratch) const {
  const NormalizedText normalized = normalize(piece, settings_, origin);
  normalized_.segment(normalized.text, scratch.normalized_segments);
  for (const auto& [id, begin, end] : scratch.normalized_segments) {
    if (begin == end) continue;
    if (id >= 0) {
      splitter.append(id, {normalized.source[begin].begin, normalized.source[end - 1].end});
    } else if (word_split_ == WordSplit::white_space) {
      splitter.split_into_runs(normalized, begin, end);
    } else {
      splitter.split_normalized(normalized, begin, end);
    }
  }
}

}  // namespace summand::text
