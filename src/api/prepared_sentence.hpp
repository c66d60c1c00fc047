#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"
#include "model/sentence_modules.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

/// A Dense module with its weights as floats.
class DenseLayer {
 public:
  explicit DenseLayer(const model::Dense& dense);

  [[nodiscard]] size_t in() const { return weight_.columns(); }
  [[nodiscard]] size_t out() const { return weight_.rows(); }
  /// @param x  [in]
  /// @return [out]
  [[nodiscard]] std::vector<float> apply(const std::vector<float>& x) const;

 private:
  Matrix<float> weight_;
  std::vector<float> bias_;
  model::DenseActivation activation_;
};

/// What every call that makes sentence vectors needs of a model's modules, made once when it is loaded.
class PreparedSentence {
 public:
  PreparedSentence(const model::SentenceModules& modules, const text::Tokenizer& tokenizer);

  [[nodiscard]] const std::vector<DenseLayer>& dense_layers() const { return dense_; }

  /// Tokens of a prompt at the front of a text, as sentence-transformers counts them: its own with special ones, less
  /// the closing one. Those of the model's own prompts are known already.
  [[nodiscard]] size_t prompt_tokens(const std::string& prompt, const text::Tokenizer& tokenizer) const;

 private:
  std::vector<DenseLayer> dense_;
  std::map<std::string, size_t> prompt_tokens_;  // by the prompt's text
};

}  // namespace summand::api
