#include "api/prepared_sentence.hpp"

#include <cmath>

#include "model/tensor.hpp"
#include "reference/functions.hpp"

namespace summand::api {

namespace {

float activate(model::DenseActivation activation, float x) {
  switch (activation) {
    case model::DenseActivation::identity:
      return x;
    case model::DenseActivation::tanh:
      return reference::activate(model::Activation::tanh, x);
    case model::DenseActivation::relu:
      return reference::activate(model::Activation::relu, x);
    case model::DenseActivation::gelu:
      return reference::activate(model::Activation::gelu, x);
    case model::DenseActivation::sigmoid:
      return 1.0F / (1.0F + std::exp(-x));
  }
  __builtin_unreachable();
}

size_t tokens_before_text(const std::string& prompt, const text::Tokenizer& tokenizer) {
  const auto encoding = tokenizer.encode(prompt);
  const bool closed = !encoding.special.empty() && encoding.special.back() != 0;
  return encoding.ids.size() - (closed ? 1 : 0);
}

}  // namespace

DenseLayer::DenseLayer(const model::Dense& dense)
    : weight_(model::to_matrix<float>(dense.weight)),
      bias_(dense.bias ? model::to_floats(*dense.bias) : std::vector<float>()),
      activation_(dense.activation) {}

std::vector<float> DenseLayer::apply(const std::vector<float>& x) const {
  std::vector<float> result(out());
  for (size_t row = 0; row < result.size(); ++row) {
    float total = bias_.empty() ? 0.0F : bias_[row];
    for (size_t i = 0; i < x.size(); ++i) total += weight_(row, i) * x[i];
    result[row] = activate(activation_, total);
  }
  return result;
}

PreparedSentence::PreparedSentence(const model::SentenceModules& modules, const text::Tokenizer& tokenizer) {
  for (const auto& dense : modules.dense) dense_.emplace_back(dense);
  if (modules.include_prompt) return;
  for (const auto& [name, prompt] : modules.prompts) prompt_tokens_[prompt] = tokens_before_text(prompt, tokenizer);
}

size_t PreparedSentence::prompt_tokens(const std::string& prompt, const text::Tokenizer& tokenizer) const {
  const auto known = prompt_tokens_.find(prompt);
  return known != prompt_tokens_.end() ? known->second : tokens_before_text(prompt, tokenizer);
}

}  // namespace summand::api
