#pragma once

#include <ATen/ATen.h>

#include <limits>
#include <string>
#include <vector>

#include "model/attention/attend.hpp"
#include "model/parameters.hpp"
#include "train/network/dropout.hpp"
#include "train/network/packed_attention.hpp"
#include "train/network/tensor_ops.hpp"

namespace summand::test {

/// AttendOps of all heads of one text: matrices are [heads, length, head size], scores and weights [heads, length,
/// length].
class TextOps : public train::MatrixTensorOps {
 public:
  TextOps(const train::Placement& placement, const train::DropoutMask& mask)
      : MatrixTensorOps(placement), mask_(mask) {}

  [[nodiscard]] Value causally_masked(const Value& scores) const {
    const at::Tensor later = at::ones({scores.size(-2), scores.size(-1)}, scores.options().dtype(at::kBool)).triu(1);
    return scores.masked_fill(later, -std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] Value weights(const Value& scores) const {
    const at::Tensor factors = at::empty(scores.sizes(), at::kFloat);
    auto* numbers = factors.mutable_data_ptr<float>();
    for (int64_t i = 0; i < factors.numel(); ++i) numbers[i] = mask_.factor(static_cast<uint32_t>(i));
    return at::softmax(scores, -1) * factors.to(scores.options());
  }

 private:
  train::DropoutMask mask_;
};

/// What train::Attention computes, as plainly as can be: model::attend() of one text after the other.
/// @param rows  queries, keys and values, [tokens, hidden]
inline at::Tensor attention_text_by_text(const model::Config& config, const train::Parameters& parameters,
                                         const model::Batch& batch, const train::Dropout* dropout, size_t layer,
                                         const model::QueryKeyValue<at::Tensor>& rows) {
  std::vector<at::Tensor> contexts;
  const auto existing = config.encodings_in_attention();
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto heads = [&](const at::Tensor& all) {
      return all.narrow(0, static_cast<int64_t>(batch.offsets[text]), static_cast<int64_t>(batch.length(text)))
          .unflatten(-1, {config.num_attention_heads, config.head_size()})
          .transpose(0, 1);
    };
    std::vector<model::QueryKeyTokens> tokens;
    for (const auto& one : existing) tokens.push_back(model::query_key_tokens(one, batch, text));
    model::AppliedEncodings<train::HeadTensorOps> encodings;
    for (size_t i = 0; i < existing.size(); ++i) {
      encodings.push_back({existing[i], tokens[i], {parameters, existing[i], layer, config.layer_norm_eps}});
    }
    const std::string name = model::layer_parameter(layer, "attention.self") + std::to_string(text);
    TextOps ops(parameters.placement(), dropout == nullptr ? train::DropoutMask() : dropout->attention_mask(name));
    const at::Tensor own =
        model::attend(config, ops, encodings,
                      model::QueryKeyValue<at::Tensor>{heads(rows.query), heads(rows.key), heads(rows.value)});
    contexts.push_back(own.transpose(0, 1).flatten(1));
  }
  return at::cat(contexts, 0);
}

}  // namespace summand::test
