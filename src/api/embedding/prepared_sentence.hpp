#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "engine/layers/sentence_steps.hpp"
#include "model/sentence_modules.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

/// What every call that makes sentence vectors needs of a model's modules, made once when it is loaded.
class PreparedSentence {
 public:
  PreparedSentence(const model::SentenceModules& modules, const text::Tokenizer& tokenizer);

  [[nodiscard]] const engine::SentenceSteps& steps() const { return steps_; }

  /// Tokens of a prompt at the front of a text, as sentence-transformers counts them: its own with special ones, less
  /// the closing one. Those of the model's own prompts are known already.
  [[nodiscard]] size_t prompt_tokens(const std::string& prompt, const text::Tokenizer& tokenizer) const;

 private:
  engine::SentenceSteps steps_;
  std::map<std::string, size_t> prompt_tokens_;  // by the prompt's text
};

}  // namespace summand::api
