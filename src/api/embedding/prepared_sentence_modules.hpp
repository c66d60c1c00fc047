#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "engine/layers/sentence_steps.hpp"
#include "model/sentence_modules.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

/// Data for sentence vectors that depends only on the model, made once at load.
class PreparedSentenceModules {
 public:
  PreparedSentenceModules(const model::SentenceModules& modules, const text::Tokenizer& tokenizer);

  [[nodiscard]] const engine::SentenceSteps& steps() const { return steps_; }
  /// Whether the last step is a normalisation.
  [[nodiscard]] bool ends_normalised() const { return ends_normalised_; }

  /// Length of a prompt in tokens, as sentence-transformers counts it: with special tokens, without the closing one.
  /// Cached for the model's own prompts.
  [[nodiscard]] size_t prompt_tokens(const std::string& prompt, const text::Tokenizer& tokenizer) const;

 private:
  engine::SentenceSteps steps_;
  bool ends_normalised_;
  std::map<std::string, size_t> prompt_tokens_;  // by the prompt's text
};

}  // namespace summand::api
