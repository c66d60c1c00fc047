#include "train/network/packed_attention.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "train/network/packed_attention_kernel.hpp"

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What the backward pass needs beside tensors.
struct Held : torch::CustomClassHolder {
  Held(PackedTexts all, std::vector<std::vector<int32_t>> of_tables)
      : texts(std::move(all)), table_rows(std::move(of_tables)) {}

  PackedTexts texts;
  std::vector<std::vector<int32_t>> table_rows;
};

constexpr size_t kTables = 3;  // index of the first one among arguments: query, key, value, tables, held

class PackedAttention : public torch::autograd::Function<PackedAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value, at::TensorList tables, const c10::intrusive_ptr<Held>& held) {
    const AttentionInput input{query, key, value, tables, held->texts, held->table_rows};
    auto [result, log_sums] = attention_forward(input);
    variable_list saved{query, key, value, std::move(log_sums)};
    saved.insert(saved.end(), tables.begin(), tables.end());
    context->save_for_backward(std::move(saved));
    context->saved_data["held"] = c10::IValue::make_capsule(held);
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto held = c10::static_intrusive_pointer_cast<Held>(context->saved_data["held"].toCapsule());
    const at::TensorList tables = at::TensorList(saved).slice(4);
    const AttentionInput input{saved[0], saved[1], saved[2], tables, held->texts, held->table_rows};
    std::vector<bool> wanted;
    for (size_t i = 0; i < tables.size(); ++i) wanted.push_back(context->needs_input_grad(kTables + i));
    AttentionGradients all = attention_backward(input, saved[3], gradients[0], wanted);
    variable_list results{std::move(all.query), std::move(all.key), std::move(all.value)};
    results.insert(results.end(), all.tables.begin(), all.tables.end());
    results.emplace_back();  // `held` has none
    return results;
  }
};

/// With its columns next to each other.
at::Tensor in_rows(const at::Tensor& rows, at::ScalarType type) {
  const at::Tensor same = rows.to(type);
  return same.stride(1) == 1 ? same : same.contiguous();
}

}  // namespace

at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const PackedTexts& texts, const std::vector<ScoreTable>& tables) {
  // Without a projection, queries and keys are the layer's input, which autocast does not convert.
  const at::ScalarType type = value.scalar_type();
  const at::ScalarType computed = type == at::kDouble ? at::kDouble : at::kFloat;
  std::vector<at::Tensor> values;
  std::vector<std::vector<int32_t>> rows;
  for (const ScoreTable& table : tables) {
    values.push_back(table.values.to(computed).contiguous());
    rows.push_back(table.row);
  }
  return PackedAttention::apply(in_rows(query, type), in_rows(key, type), in_rows(value, type), at::TensorList(values),
                                c10::make_intrusive<Held>(texts, std::move(rows)));
}

}  // namespace summand::train
