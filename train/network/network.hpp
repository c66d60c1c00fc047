#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/parameter.hpp"
#include "train/network/dense_norm.hpp"
#include "train/network/dropout.hpp"
#include "train/network/tensors.hpp"
#include "train/network/vocabulary_gradients.hpp"

namespace summand::train {

/// Result of a forward pass over a batch.
struct Pass {
  std::vector<at::Tensor> hidden_states;  ///< layers + 1 of [tokens, hidden]; the first is the encoder's input
  std::vector<size_t> last_tokens;        ///< tokens whose rows the last state has; empty: all
  at::Tensor pooled;                      ///< [texts, hidden]; undefined if the model has no pooler
};

/// BERT on libtorch, for training: all compositions and encodings, from the same definitions as the reference and the
/// engine. Texts are packed without padding. Source: Devlin et al. 2019, section 3;
/// transformers, models/bert/modeling_bert.py
class Network {
 public:
  /// @param more  parameters that the network holds for a module behind it
  /// @throws CheckpointError if a parameter is missing
  Network(const model::Config& config, const model::ModelParts& parts, const model::Weights& weights,
          const Placement& placement = {}, std::span<const model::Parameter> more = {});

  /// @param parameters  which it may share with another network
  Network(const model::Config& config, Parameters parameters);

  /// @param batch  no empty texts
  /// @param dropout  null: no dropout
  /// @param needed  tokens whose last hidden state is read, ascending, with the first of each text if there is a
  /// pooler;
  ///   the last layer computes no other. Empty: all
  /// @throws TextError if the batch does not fit the configuration
  [[nodiscard]] Pass run(const model::Batch& batch, const Dropout* dropout = nullptr,
                         const std::vector<size_t>& needed = {}) const;

  /// The same with other rows in place of the token table's, by which the parameters need not have that table.
  /// @param token_rows  [tokens, width of a token's row]
  [[nodiscard]] Pass run_rows(const model::Batch& batch, const at::Tensor& token_rows,
                              const Dropout* dropout = nullptr) const;

  /// Rows of the last state. @param tokens  among pass.last_tokens
  [[nodiscard]] at::Tensor last_rows(const Pass& pass, const std::vector<size_t>& tokens) const;

  /// @param tokens  for masked_language, the tokens to predict; other heads ignore it
  /// @param dropout  of what a classifier of texts or tokens reads; null: none
  /// @return masked_language [tokens, vocabulary]; next_sentence [texts, 2]; sequence_classification [texts, labels];
  ///   token_classification [all tokens, labels]; question_answering [all tokens, 2]
  [[nodiscard]] at::Tensor logits(model::Head head, const Pass& pass, const std::vector<size_t>& tokens = {},
                                  const Dropout* dropout = nullptr) const;

  /// The last product of the masked-language head. @param tokens  to predict
  [[nodiscard]] VocabularyProduct vocabulary_product(const Pass& pass, const std::vector<size_t>& tokens) const;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const model::Config& config() const { return config_; }

 private:
  struct Parts;
  [[nodiscard]] at::Tensor token_rows(const model::Batch& batch) const;
  [[nodiscard]] Parts parts_of(const model::Batch& batch, const at::Tensor& token_rows) const;
  /// Rows of a table. @param rows  as many as tokens
  [[nodiscard]] at::Tensor picked(const at::Tensor& table, const std::vector<int32_t>& rows) const;
  [[nodiscard]] Pass run_parts(const model::Batch& batch, const Parts& parts, const Dropout* dropout,
                               const std::vector<size_t>& needed) const;
  [[nodiscard]] at::Tensor composed(const Parts& parts) const;
  struct Layer;
  [[nodiscard]] NormalisedRows layer(const Layer& layer, const NormalisedRows& input) const;
  [[nodiscard]] at::Tensor attended(const Layer& layer, const at::Tensor& input) const;
  /// LayerNorm(dropout(linear(rows)) + residual). @param name  of both, in the layer: "output"
  [[nodiscard]] NormalisedRows joined(const Layer& layer, const at::Tensor& rows, const std::string& name,
                                      const at::Tensor& residual) const;
  [[nodiscard]] at::Tensor linear(const at::Tensor& input, const std::string& name) const;
  [[nodiscard]] static at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);
  [[nodiscard]] at::Tensor activated_linear(const at::Tensor& input, const std::string& name) const;
  [[nodiscard]] at::Tensor norm(const at::Tensor& input, const std::string& name) const;
  [[nodiscard]] at::Tensor activated(const at::Tensor& input) const;

  model::Config config_;
  Parameters parameters_;
};

}  // namespace summand::train
