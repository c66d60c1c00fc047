#include "text/encode_text.hpp"

#include <algorithm>

namespace summand::text {

Encoding encode(const Tokenizer& tokenizer, const TextView& text, const EncodeOptions& options) {
  if (text.words) return tokenizer.encode_words(*text.words, options);
  if (text.text_pair) return tokenizer.encode_pair(text.text, *text.text_pair, options);
  return tokenizer.encode(text.text, options);
}

void encode_into(const Tokenizer& tokenizer, const TextView& text, const EncodeOptions& options,
                 Tokenizer::Workspace& workspace, Encoding& encoding) {
  if (text.words) return tokenizer.encode_words_into(*text.words, options, workspace, encoding);
  if (text.text_pair) return tokenizer.encode_pair_into(text.text, *text.text_pair, options, workspace, encoding);
  tokenizer.encode_into(text.text, options, workspace, encoding);
}

DividedText divide(const Tokenizer& tokenizer, const TextView& text, const WindowLimits& limits) {
  if (text.words) return tokenizer.divide_words(*text.words, limits);
  if (text.text_pair) return tokenizer.divide_pair(text.text, *text.text_pair, limits);
  return tokenizer.divide(text.text, limits);
}

void add_to(ReadCount& count, const Encoding& encoding, const Tokenizer& tokenizer) {
  count.tokens += encoding.ids.size();
  count.texts_cut += encoding.cut > 0 ? 1 : 0;
  count.texts_empty += std::ranges::count(encoding.special, 0) == 0 ? 1 : 0;
  if (const auto unknown = tokenizer.unk_id()) {
    count.unknown_tokens += static_cast<size_t>(std::ranges::count(encoding.ids, *unknown));
  }
}

}  // namespace summand::text
