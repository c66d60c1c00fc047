#include "summand/tokenizer.hpp"

#include <string>
#include <utility>

#include "api/options/validate_options.hpp"
#include "api/tokenizing/encode_texts.hpp"
#include "base/error.hpp"

namespace summand {

struct Tokenizer::State {
  text::Tokenizer tokenizer;
};

Tokenizer Tokenizer::load(const std::filesystem::path& name) {
  return Tokenizer(std::make_unique<const State>(State{api::load_tokenizer(name.string())}));
}

Tokenizer Tokenizer::from_vocabulary(const std::filesystem::path& vocabulary, Lowercase lowercase) {
  api::validate(lowercase);
  return Tokenizer(std::make_unique<const State>(State{text::Tokenizer::from_vocabulary(vocabulary, lowercase)}));
}

Tokenizer::Tokenizer(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Encoding Tokenizer::encode(const TextView& text, const TokenizeOptions& options) const {
  api::validate(options);
  return text::encode(state_->tokenizer, text, options);
}

std::vector<Encoding> Tokenizer::encode_all(const TextList& texts, const TokenizeOptions& options, int threads) const {
  api::validate(options);
  if (threads < 0) throw UsageError("threads", "expected at least 0, got " + std::to_string(threads));
  return api::encode_all(state_->tokenizer, {texts.begin(), texts.end()}, options, threads);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, SpecialTokens special_tokens) const {
  api::validate(special_tokens);
  return state_->tokenizer.decode(ids, special_tokens);
}

std::string_view Tokenizer::token(int32_t id) const {
  return state_->tokenizer.token(id);
}

std::optional<int32_t> Tokenizer::token_id(std::string_view token) const {
  return state_->tokenizer.id(token);
}

size_t Tokenizer::vocabulary_size() const {
  return state_->tokenizer.vocabulary_size();
}

std::optional<int32_t> Tokenizer::unknown_id() const {
  return state_->tokenizer.unk_id();
}

std::span<const std::string> Tokenizer::notices() const {
  return state_->tokenizer.notices();
}

}  // namespace summand
