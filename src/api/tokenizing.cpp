#include "api/tokenizing.hpp"

#include "io/hub_cache.hpp"
#include "io/module_list.hpp"

namespace summand::api {

text::Tokenizer load_tokenizer(std::string_view name) {
  return text::Tokenizer::load(io::read_module_list(io::resolve_model(name)).transformer_directory());
}

text::Encoding encode(const text::Tokenizer& tokenizer, const text::InputRecord& record,
                      const text::EncodeOptions& options) {
  if (record.words) return tokenizer.encode_words(*record.words, options);
  if (record.text_pair) return tokenizer.encode_pair(record.text, *record.text_pair, options);
  return tokenizer.encode(record.text, options);
}

text::DividedText divide(const text::Tokenizer& tokenizer, const text::InputRecord& record,
                         const text::WindowLimits& limits) {
  if (record.words) return tokenizer.divide_words(*record.words, limits);
  if (record.text_pair) return tokenizer.divide_pair(record.text, *record.text_pair, limits);
  return tokenizer.divide(record.text, limits);
}

}  // namespace summand::api
