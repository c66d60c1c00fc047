#include "train/network/attention.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "model/parameters.hpp"
#include "train/network/autocast.hpp"
#include "train/network/device_attention.hpp"
#include "train/network/packed_attention.hpp"
#include "train/network/slot_weights.hpp"
#include "train/network/tensor_ops.hpp"

namespace summand::train {

namespace {

using Rows = model::QueryKeyValue<at::Tensor>;

constexpr size_t kLargestTable = 4;  // as many times as the scores of all texts

size_t scores_of(const model::Batch& batch) {
  size_t sum = 0;
  for (size_t text = 0; text < batch.texts(); ++text) sum += batch.length(text) * batch.length(text);
  return sum;
}

model::AppliedEncodings<HeadTensorOps> applied(const std::vector<model::AttentionEncoding>& encodings,
                                               const SlotGroup& group, size_t layer, const Parameters& parameters,
                                               const model::Config& config) {
  model::AppliedEncodings<HeadTensorOps> all;
  for (size_t i = 0; i < encodings.size(); ++i) {
    all.push_back({encodings[i], group.tokens[i], {parameters, encodings[i], layer, config.layer_norm_eps}});
  }
  return all;
}

/// AttendOps on a group's texts and all heads at once: matrices are [texts, heads, slots, head size], scores and
/// weights [texts, heads, slots, slots].
class GroupOps : public MatrixTensorOps {
 public:
  GroupOps(const Placement& placement, const SlotGroup& group, const PackedTexts& texts)
      : MatrixTensorOps(placement), group_(group), texts_(texts) {}

  /// weights() does it.
  [[nodiscard]] Value causally_masked(Value scores) const { return scores; }
  [[nodiscard]] Value weights(const Value& scores) const { return slot_weights(scores, group_, texts_); }

 private:
  const SlotGroup& group_;
  const PackedTexts& texts_;
};

}  // namespace

Attention::Attention(const model::Config& config, const Parameters& parameters, const model::Batch& batch,
                     const Dropout* dropout)
    : config_(config),
      parameters_(parameters),
      batch_(batch),
      dropout_(dropout),
      encodings_(config.encodings_in_attention()),
      shared_(encodings_.size()) {
  const bool on_device = parameters.placement().device.type() != at::kCPU;
  bool grouped = false;
  for (const auto& one : encodings_) {
    distinct_.push_back(is_score_table(one.kind) ? distinct_tokens(one, batch) : DistinctTokens());
    const size_t rows = distinct_.back().tokens.size();
    const bool is_table = rows > 0 && rows * rows <= kLargestTable * scores_of(batch);
    if (!is_table && !model::rotates(one.kind)) in_groups_ = true;
    if (model::rotates(one.kind)) grouped = true;
  }
  const bool drops = dropout != nullptr && dropout->drops_attention();
  if (on_device && (!encodings_.empty() || drops || config.attention.causal)) in_groups_ = true;
  if (grouped || in_groups_) slots_.emplace(config, batch, parameters.placement());
  for (size_t i = 0; !in_groups_ && i < encodings_.size(); ++i) {
    if (distinct_[i].tokens.empty() || !is_shared(encodings_[i])) continue;
    shared_[i] = score_table(encodings_[i], distinct_[i], 0, parameters, config);
  }
}

at::Tensor Attention::context(size_t layer, const Rows& rows) const {
  if (in_groups_) return attend_in_groups(layer, rows);
  const PackedTexts texts = packed_texts(layer);
  if (!rows.query.is_cpu()) return device_attention(rows.query, rows.key, rows.value, texts);
  if (!slots_) return packed_attention(rows.query, rows.key, rows.value, texts, score_tables(layer));
  const Rows own = changed(layer, rows);
  return packed_attention(own.query, own.key, own.value, texts, score_tables(layer));
}

PackedTexts Attention::packed_texts(size_t layer) const {
  PackedTexts texts{.offsets = batch_.offsets,
                    .heads = config_.num_attention_heads,
                    .scale = config_.score_scale(),
                    .causal = config_.attention.causal,
                    .masks = {}};
  if (dropout_ == nullptr || !dropout_->drops_attention()) return texts;
  const std::string name = model::layer_parameter(layer, "attention.self");
  for (size_t text = 0; text < batch_.texts(); ++text) {
    texts.masks.push_back(dropout_->attention_mask(name + std::to_string(dropout_->begin().text + text)));
  }
  return texts;
}

std::vector<ScoreTable> Attention::score_tables(size_t layer) const {
  std::vector<ScoreTable> tables;
  for (size_t i = 0; i < encodings_.size(); ++i) {
    if (distinct_[i].tokens.empty()) continue;
    tables.push_back(shared_[i] ? *shared_[i] : score_table(encodings_[i], distinct_[i], layer, parameters_, config_));
  }
  return tables;
}

Attention::GroupRows Attention::to_groups(const Rows& rows) const {
  const auto heads = [&](const at::Tensor& one) {
    return one.unflatten(-1, {config_.num_attention_heads, config_.head_size()}).transpose(1, 2);
  };
  const auto query = slots_->to_slots(rows.query), key = slots_->to_slots(rows.key),
             value = slots_->to_slots(rows.value);
  GroupRows groups;
  for (size_t i = 0; i < query.size(); ++i) groups.push_back({heads(query[i]), heads(key[i]), heads(value[i])});
  return groups;
}

at::Tensor Attention::from_groups(const std::vector<at::Tensor>& groups) const {
  std::vector<at::Tensor> rows;
  for (const at::Tensor& one : groups) rows.push_back(one.transpose(1, 2).flatten(2));
  return slots_->from_slots(rows);
}

at::Tensor Attention::attend_in_groups(size_t layer, const Rows& rows) const {
  if (!rows.value.is_cpu() || rows.value.scalar_type() != at::kBFloat16) return attended_groups(layer, rows);
  // As in packed_attention(): converting scores between the products takes longer than products in single precision.
  const Autocast exact(Precision::fp32, at::kCPU);
  const Rows single{rows.query.to(at::kFloat), rows.key.to(at::kFloat), rows.value.to(at::kFloat)};
  return attended_groups(layer, single).to(at::kBFloat16);
}

at::Tensor Attention::attended_groups(size_t layer, const Rows& rows) const {
  const PackedTexts texts = packed_texts(layer);
  const GroupRows groups = to_groups(rows);
  std::vector<at::Tensor> contexts;
  for (size_t i = 0; i < groups.size(); ++i) {
    const SlotGroup& group = slots_->groups()[i];
    GroupOps ops(parameters_.placement(), group, texts);
    auto encodings = applied(encodings_, group, layer, parameters_, config_);
    contexts.push_back(model::attend(config_, ops, encodings, groups[i]));
  }
  return from_groups(contexts);
}

Rows Attention::changed(size_t layer, const Rows& rows) const {
  const GroupRows groups = to_groups(rows);
  std::vector<at::Tensor> query, key, value;
  for (size_t i = 0; i < groups.size(); ++i) {
    auto encodings = applied(encodings_, slots_->groups()[i], layer, parameters_, config_);
    query.push_back(model::rotated_query(encodings, groups[i].query));
    key.push_back(model::rotated_key(encodings, groups[i].key));
    value.push_back(model::changed_value(encodings, groups[i].value));
  }
  const bool changes = std::ranges::any_of(encodings_, [](const auto& one) { return model::changes_values(one.kind); });
  return {from_groups(query), from_groups(key), changes ? from_groups(value) : rows.value};
}

}  // namespace summand::train
