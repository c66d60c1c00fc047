#include "train/network/slot_weights.hpp"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "train/network/attention_loops.hpp"
#include "train/network/row_sums.hpp"

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int32_t kEmpty = std::numeric_limits<int32_t>::max();  // after all tokens

/// What a group's rows of weights are computed with, beside scores.
struct SlotRules : torch::CustomClassHolder {
  SlotRules(const SlotGroup& group, const PackedTexts& texts)
      : slots(static_cast<int64_t>(group.slots())), causal(texts.causal), index(group.index) {
    std::ranges::replace(index, -1, kEmpty);
    for (const size_t text : group.texts) {
      lengths.push_back(texts.length(text));
      masks.push_back(texts.masks.empty() ? DropoutMask() : texts.masks[text]);
    }
  }

  [[nodiscard]] bool keeps_all() const { return std::ranges::all_of(masks, &DropoutMask::keeps_all); }

  int64_t slots;
  bool causal;
  std::vector<int32_t> index;  ///< [texts, slots], kEmpty of empty ones
  std::vector<int64_t> lengths;
  std::vector<DropoutMask> masks;
};

/// One row of weights: of a query of one head of one text.
struct SlotRow {
  int64_t at = 0;          ///< in a tensor's numbers
  int32_t query = 0;       ///< its token in the text, or kEmpty
  const int32_t* columns;  ///< the keys' tokens
  const DropoutMask& mask;
  uint32_t first = 0;  ///< the mask's index of key 0
};

/// Calls each(row), texts and heads on several threads.
template <class Each>
void for_rows(const SlotRules& rules, int64_t heads, const Each& each) {
  const auto texts = static_cast<int64_t>(rules.lengths.size());
  at::parallel_for(0, texts * heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto text = static_cast<size_t>(i / heads);
      const int32_t* columns = rules.index.data() + static_cast<int64_t>(text) * rules.slots;
      for (int64_t slot = 0; slot < rules.slots; ++slot) {
        const int32_t query = columns[slot];
        const uint32_t first = query == kEmpty ? 0 : mask_index(i % heads, query, rules.lengths[text]);
        each(SlotRow{(i * rules.slots + slot) * rules.slots, query, columns, rules.masks[text], first});
      }
    }
  });
}

/// @param weights  scores, which become weights
/// @param dropped  may be the same numbers
template <class Scalar>
void compute_weights(const SlotRules& rules, int64_t heads, Scalar* weights, Scalar* dropped) {
  const bool hides = rules.causal || std::ranges::find(rules.index, kEmpty) != rules.index.end();
  for_rows(rules, heads, [&](const SlotRow& row) {
    Scalar* of_query = weights + row.at;
    if (row.query == kEmpty) {
      std::fill_n(of_query, rules.slots, Scalar(0));
    } else {
      if (hides) hide_columns(of_query, rules.slots, row.columns, rules.causal ? row.query : kEmpty - 1);
      (void)softmax_row(of_query, rules.slots);
    }
    if (dropped != weights) drop_row(of_query, dropped + row.at, rules.slots, row.mask, row.first, row.columns);
  });
}

/// @param gradient  at what was dropped; becomes that at scores
template <class Scalar>
void compute_score_gradients(const SlotRules& rules, int64_t heads, const Scalar* weights, Scalar* gradient) {
  for_rows(rules, heads, [&](const SlotRow& row) {
    const Scalar mean = undrop_row(gradient + row.at, weights + row.at, rules.slots, row.mask, row.first, row.columns);
    score_gradient_row(gradient + row.at, weights + row.at, rules.slots, mean);
  });
}

template <class Scalar>
Scalar* numbers_of(const at::Tensor& tensor) {
  return tensor.mutable_data_ptr<Scalar>();
}

class Weights : public torch::autograd::Function<Weights> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& scores,
                            const c10::intrusive_ptr<SlotRules>& rules) {
    at::Tensor weights = scores.clone(at::MemoryFormat::Contiguous);
    at::Tensor dropped = rules->keeps_all() ? weights : at::empty_like(weights);
    if (scores.scalar_type() == at::kDouble) {
      compute_weights(*rules, scores.size(1), numbers_of<double>(weights), numbers_of<double>(dropped));
    } else {
      compute_weights(*rules, scores.size(1), numbers_of<float>(weights), numbers_of<float>(dropped));
    }
    context->save_for_backward({weights});
    context->saved_data["rules"] = c10::IValue::make_capsule(rules);
    return dropped;
  }
  static variable_list backward(AutogradContext* context, variable_list& gradients) {
    const auto rules = c10::static_intrusive_pointer_cast<SlotRules>(context->saved_data["rules"].toCapsule());
    const at::Tensor weights = context->get_saved_variables()[0];
    at::Tensor gradient = to_write_over(std::move(gradients[0]));
    if (weights.scalar_type() == at::kDouble) {
      compute_score_gradients(*rules, weights.size(1), numbers_of<double>(weights), numbers_of<double>(gradient));
    } else {
      compute_score_gradients(*rules, weights.size(1), numbers_of<float>(weights), numbers_of<float>(gradient));
    }
    return {gradient, {}};
  }
};

/// [texts, heads, slots, slots]
at::Tensor mask_tensor(const SlotRules& rules, int64_t heads) {
  const at::Tensor factors =
      at::empty({static_cast<int64_t>(rules.lengths.size()), heads, rules.slots, rules.slots}, at::kFloat);
  auto* numbers = numbers_of<float>(factors);
  for_rows(rules, heads, [&](const SlotRow& row) {
    for (int64_t j = 0; j < rules.slots; ++j) {
      numbers[row.at + j] = row.mask.factor(row.first + static_cast<uint32_t>(row.columns[j]));
    }
  });
  return factors;
}

}  // namespace

at::Tensor slot_weights(const at::Tensor& scores, const SlotGroup& group, const PackedTexts& texts) {
  if (!scores.is_cpu()) return slot_weights_by_tensors(scores, group, texts);
  const at::ScalarType type = scores.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return Weights::apply(scores.to(type), c10::make_intrusive<SlotRules>(group, texts));
}

at::Tensor slot_weights_by_tensors(const at::Tensor& scores, const SlotGroup& group, const PackedTexts& texts) {
  const SlotRules rules(group, texts);
  const auto count = static_cast<int64_t>(group.texts.size());
  const at::Tensor index = at::tensor(rules.index, at::kInt).view({count, 1, rules.slots}).to(scores.device());
  const at::Tensor key = index.unsqueeze(-2),
                   query = index.unsqueeze(-1);  // [texts, 1, 1, slots], [texts, 1, slots, 1]
  const at::Tensor hidden = rules.causal ? key > query : (key == kEmpty).expand({count, 1, rules.slots, rules.slots});
  at::Tensor weights = at::softmax(scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()), -1);
  weights = weights.masked_fill(query == kEmpty, 0);
  return rules.keeps_all() ? weights : weights * mask_tensor(rules, scores.size(1)).to(weights.options());
}

}  // namespace summand::train
