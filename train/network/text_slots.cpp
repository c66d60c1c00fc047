#include "train/network/text_slots.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kMostScores = 1.5;                // of a group, as many times as its texts have
constexpr size_t kScoresAtOnce = size_t{1} << 20;  // of a group, all heads: 4 MB

/// What slots tell tokens apart by: 0 for a text's first or 1, then the position or segment of each encoding.
using SlotKey = std::vector<int32_t>;

SlotKey key_of(const std::vector<model::AttentionEncoding>& encodings, const model::Batch& batch, size_t text,
               size_t token) {
  SlotKey key{token == batch.offsets[text] ? 0 : 1};
  for (const auto& one : encodings) key.push_back(model::positions_or_segments(one.input, batch)[token]);
  return key;
}

/// A text's tokens in the order of their keys.
struct SortedText {
  size_t text = 0;
  std::vector<SlotKey> keys;
  std::vector<int32_t> order;  // index in the text
};

SortedText sorted(const std::vector<model::AttentionEncoding>& encodings, const model::Batch& batch, size_t text) {
  std::vector<std::pair<SlotKey, int32_t>> tokens;
  for (size_t token = batch.offsets[text]; token < batch.offsets[text + 1]; ++token) {
    tokens.emplace_back(key_of(encodings, batch, text, token), static_cast<int32_t>(tokens.size()));
  }
  std::ranges::sort(tokens);
  SortedText result{.text = text, .keys = {}, .order = {}};
  for (auto& [key, index] : tokens) {
    result.keys.push_back(std::move(key));
    result.order.push_back(index);
  }
  return result;
}

/// A group while texts are added.
struct Draft {
  std::vector<SlotKey> slots;
  std::vector<SortedText> texts;
  size_t scores = 0;  // of the texts themselves

  /// Adds the text if the group then is not too large. @return whether it did
  bool add(SortedText& text, size_t heads) {
    std::vector<SlotKey> both;  // as often as either has a key
    std::ranges::set_union(slots, text.keys, std::back_inserter(both));
    const size_t own = scores + text.keys.size() * text.keys.size();
    const size_t all = (texts.size() + 1) * both.size() * both.size();
    const bool fits =
        static_cast<double>(all) <= kMostScores * static_cast<double>(own) && all * heads <= kScoresAtOnce;
    if (!texts.empty() && !fits) return false;
    slots = std::move(both);
    scores = own;
    texts.push_back(std::move(text));
    return true;
  }

  [[nodiscard]] SlotGroup group(size_t encodings) const {
    SlotGroup group;
    group.tokens.resize(encodings);
    for (size_t i = 0; i < encodings; ++i) {
      std::vector<model::TokenInText> tokens;
      for (const SlotKey& key : slots) tokens.push_back({.position_or_segment = key[i + 1], .index = key[0]});
      group.tokens[i] = {.queries = tokens, .keys = tokens};
    }
    for (const SortedText& text : texts) {
      group.texts.push_back(text.text);
      size_t next = 0;
      for (const SlotKey& key : slots) {
        const bool taken = next < text.keys.size() && text.keys[next] == key;
        group.index.push_back(taken ? text.order[next++] : -1);
      }
    }
    return group;
  }
};

/// The longest first, each to the first group that it fits.
std::vector<SlotGroup> groups_of(const std::vector<model::AttentionEncoding>& encodings, const model::Batch& batch,
                                 size_t heads) {
  std::vector<size_t> order(batch.texts());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t text) { return batch.length(text); });
  std::vector<Draft> drafts;
  for (const size_t text : order) {
    SortedText one = sorted(encodings, batch, text);
    const bool added = std::ranges::any_of(drafts, [&](Draft& draft) { return draft.add(one, heads); });
    if (!added) (void)drafts.emplace_back().add(one, heads);
  }
  std::vector<SlotGroup> groups;
  for (const Draft& draft : drafts) groups.push_back(draft.group(encodings.size()));
  return groups;
}

/// Rows of tokens into slots. Of an empty slot no gradient comes back.
class ToSlots : public torch::autograd::Function<ToSlots> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, const at::Tensor& token,
                            const at::Tensor& slot) {
    context->saved_data["slot"] = slot;
    return rows.index_select(0, token);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0].index_select(0, context->saved_data["slot"].toTensor()), {}, {}};
  }
};

class FromSlots : public torch::autograd::Function<FromSlots> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, const at::Tensor& slot,
                            const at::Tensor& token, const at::Tensor& empty) {
    context->saved_data["token"] = token;
    context->saved_data["empty"] = empty;
    return rows.index_select(0, slot);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    at::Tensor rows = gradients[0].index_select(0, context->saved_data["token"].toTensor());
    rows.index_fill_(0, context->saved_data["empty"].toTensor(), 0);
    return {rows, {}, {}, {}};
  }
};

}  // namespace

TextSlots::TextSlots(const model::Config& config, const model::Batch& batch, const Placement& placement)
    : groups_(groups_of(config.encodings_in_attention(), batch, static_cast<size_t>(config.num_attention_heads))) {
  std::vector<size_t> token, empty, slot(batch.tokens());
  for (const SlotGroup& group : groups_) {
    for (size_t i = 0; i < group.index.size(); ++i) {
      const size_t first = batch.offsets[group.texts[i / group.slots()]];
      if (group.index[i] < 0) {
        empty.push_back(token.size());
        token.push_back(0);
      } else {
        const size_t of_batch = first + static_cast<size_t>(group.index[i]);
        slot[of_batch] = token.size();
        token.push_back(of_batch);
      }
    }
  }
  token_ = index_tensor(token, placement);
  empty_ = index_tensor(empty, placement);
  slot_ = index_tensor(slot, placement);
}

std::vector<at::Tensor> TextSlots::to_slots(const at::Tensor& rows) const {
  std::vector<int64_t> sizes;
  for (const SlotGroup& group : groups_) sizes.push_back(static_cast<int64_t>(group.index.size()));
  std::vector<at::Tensor> parts = ToSlots::apply(rows, token_, slot_).split_with_sizes(sizes, 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = parts[i].unflatten(
        0, {static_cast<int64_t>(groups_[i].texts.size()), static_cast<int64_t>(groups_[i].slots())});
  }
  return parts;
}

at::Tensor TextSlots::from_slots(const std::vector<at::Tensor>& groups) const {
  std::vector<at::Tensor> parts;
  for (const at::Tensor& one : groups) parts.push_back(one.flatten(0, 1));
  return FromSlots::apply(parts.size() == 1 ? parts.front() : at::cat(parts, 0), slot_, token_, empty_);
}

}  // namespace summand::train
