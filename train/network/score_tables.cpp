#include "train/network/score_tables.hpp"

#include <map>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "train/network/tensor_ops.hpp"

namespace summand::train {

DistinctTokens distinct_tokens(const model::AttentionEncoding& encoding, const model::Batch& batch) {
  const std::vector<int32_t>& of_tokens = model::positions_or_segments(encoding.input, batch);
  std::map<std::pair<int32_t, int32_t>, int32_t> rows;  // of (0 for a first token or 1, position or segment)
  const auto key = [&](size_t text, size_t token) {
    return std::pair(token == batch.offsets[text] ? 0 : 1, of_tokens[token]);
  };
  const auto for_tokens = [&](const auto& each) {
    for (size_t text = 0; text < batch.texts(); ++text) {
      for (size_t token = batch.offsets[text]; token < batch.offsets[text + 1]; ++token) each(key(text, token));
    }
  };
  DistinctTokens distinct;
  for_tokens([&](const auto& one) { rows.emplace(one, 0); });
  for (auto& [one, row] : rows) {
    row = static_cast<int32_t>(distinct.tokens.size());
    distinct.tokens.push_back({.position_or_segment = one.second, .index = one.first});
  }
  for_tokens([&](const auto& one) { distinct.row.push_back(rows.at(one)); });
  return distinct;
}

bool is_score_table(const model::AttentionKind& kind) {
  return std::visit(
      [](const auto& one) {
        return requires(HeadTensorOps & ops, const model::QueryKeyTokens& tokens) {
          one.bias(ops, tokens, model::AttentionSizes(), 1.0);
        };
      },
      kind);
}

bool is_shared(const model::AttentionEncoding& encoding) {
  return model::attention_kinds::names_of(encoding, model::add_layer_parameters).empty();
}

ScoreTable score_table(const model::AttentionEncoding& encoding, const DistinctTokens& distinct, size_t layer,
                       const Parameters& parameters, const model::Config& config) {
  HeadTensorOps ops(parameters, encoding, layer, config.layer_norm_eps);
  const at::Tensor none;  // a table asks for no query and no key
  const auto values = model::score_terms(encoding, ops, {none, none, config.score_scale()},
                                         {.queries = distinct.tokens, .keys = distinct.tokens});
  SUMMAND_ASSERT(values.has_value());
  const auto rows = static_cast<int64_t>(distinct.tokens.size());
  return {values->expand({static_cast<int64_t>(encoding.sizes.heads), rows, rows}), distinct.row};
}

}  // namespace summand::train
