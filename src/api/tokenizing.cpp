#include "api/tokenizing.hpp"

#include <algorithm>

#include "io/module_list.hpp"
#include "io/resolve_model.hpp"

namespace summand::api {

text::Tokenizer load_tokenizer(std::string_view name) {
  return text::Tokenizer::load(io::read_module_list(io::resolve_model(name)).transformer_directory());
}

text::Encoding encode(const text::Tokenizer& tokenizer, const TextView& text, const text::EncodeOptions& options) {
  if (text.words) return tokenizer.encode_words(*text.words, options);
  if (text.text_pair) return tokenizer.encode_pair(text.text, *text.text_pair, options);
  return tokenizer.encode(text.text, options);
}

void add_to(ReadCount& count, const text::Encoding& encoding, const text::Tokenizer& tokenizer) {
  count.tokens += encoding.ids.size();
  count.texts_cut += encoding.cut > 0 ? 1 : 0;
  count.texts_empty += std::ranges::count(encoding.special, 0) == 0 ? 1 : 0;
  if (const auto unknown = tokenizer.unk_id()) {
    count.unknown_tokens += static_cast<size_t>(std::ranges::count(encoding.ids, *unknown));
  }
}

text::DividedText divide(const text::Tokenizer& tokenizer, const TextView& text, const text::WindowLimits& limits) {
  if (text.words) return tokenizer.divide_words(*text.words, limits);
  if (text.text_pair) return tokenizer.divide_pair(text.text, *text.text_pair, limits);
  return tokenizer.divide(text.text, limits);
}

}  // namespace summand::api
