#include "api/embedding/prepared_sentence_modules.hpp"

namespace summand::api {

namespace {

size_t tokens_before_text(const std::string& prompt, const text::Tokenizer& tokenizer) {
  const auto encoding = tokenizer.encode(prompt);
  const bool closed = !encoding.special.empty() && encoding.special.back() != 0;
  return encoding.ids.size() - (closed ? 1 : 0);
}

}  // namespace

PreparedSentenceModules::PreparedSentenceModules(const model::SentenceModules& modules,
                                                 const text::Tokenizer& tokenizer)
    : steps_(modules.steps), ends_normalised_(model::first_ending(modules) < modules.steps.size()) {
  if (modules.include_prompt) return;
  for (const auto& [name, prompt] : modules.prompts) prompt_tokens_[prompt] = tokens_before_text(prompt, tokenizer);
}

size_t PreparedSentenceModules::prompt_tokens(const std::string& prompt, const text::Tokenizer& tokenizer) const {
  const auto known = prompt_tokens_.find(prompt);
  return known != prompt_tokens_.end() ? known->second : tokens_before_text(prompt, tokenizer);
}

}  // namespace summand::api
