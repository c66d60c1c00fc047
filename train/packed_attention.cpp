#include "train/packed_attention.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Consecutive texts of equal length.
struct Run {
  int64_t begin = 0;  // in tokens
  int64_t texts = 0;
  int64_t length = 0;

  [[nodiscard]] int64_t tokens() const { return texts * length; }
};

std::vector<Run> runs_of(const std::vector<int64_t>& offsets) {
  std::vector<Run> runs;
  for (size_t text = 0; text + 1 < offsets.size(); ++text) {
    const int64_t length = offsets[text + 1] - offsets[text];
    if (runs.empty() || runs.back().length != length) runs.push_back({offsets[text], 0, length});
    ++runs.back().texts;
  }
  return runs;
}

/// [tokens, heads · size] → [texts, heads, length, size], the same memory.
at::Tensor split_heads(const at::Tensor& rows, const Run& run, int64_t heads) {
  return rows.narrow(0, run.begin, run.tokens())
      .view({run.texts, run.length, heads, rows.size(1) / heads})
      .transpose(1, 2);
}

class PackedAttention : public torch::autograd::Function<PackedAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value, const std::vector<int64_t>& offsets, int64_t heads, double scale) {
    at::Tensor result = at::empty_like(query);
    variable_list saved{query, key, value, result};
    for (const Run& run : runs_of(offsets)) {
      auto [rows, log_sums] =
          at::_scaled_dot_product_flash_attention_for_cpu(split_heads(query, run, heads), split_heads(key, run, heads),
                                                          split_heads(value, run, heads), 0, false, {}, scale);
      split_heads(result, run, heads).copy_(rows);
      saved.push_back(std::move(log_sums));
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["offsets"] = offsets;
    context->saved_data["heads"] = heads;
    context->saved_data["scale"] = scale;
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto heads = context->saved_data["heads"].toInt();
    const double scale = context->saved_data["scale"].toDouble();
    const at::Tensor gradient = gradients[0].contiguous();
    variable_list results{at::empty_like(saved[0]), at::empty_like(saved[1]), at::empty_like(saved[2])};
    size_t next = 4;
    for (const Run& run : runs_of(context->saved_data["offsets"].toIntVector())) {
      const auto part = [&](const at::Tensor& rows) { return split_heads(rows, run, heads); };
      auto [query, key, value] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
          part(gradient), part(saved[0]), part(saved[1]), part(saved[2]), part(saved[3]), saved[next++], 0, false, {},
          scale);
      part(results[0]).copy_(query);
      part(results[1]).copy_(key);
      part(results[2]).copy_(value);
    }
    results.resize(6);  // arguments that are not tensors have no gradient
    return results;
  }
};

}  // namespace

at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::vector<size_t>& offsets, int64_t heads, double scale) {
  const std::vector<int64_t> ends(offsets.begin(), offsets.end());
  if (!query.is_cpu()) {
    std::vector<at::Tensor> contexts;
    for (const Run& run : runs_of(ends)) {
      contexts.push_back(at::scaled_dot_product_attention(split_heads(query, run, heads), split_heads(key, run, heads),
                                                          split_heads(value, run, heads), {}, 0, false, scale)
                             .transpose(1, 2)
                             .reshape({run.tokens(), query.size(1)}));
    }
    return at::cat(contexts, 0);
  }
  // Without a projection, queries and keys are the layer's input, which autocast does not convert.
  const at::ScalarType type = value.scalar_type();
  return PackedAttention::apply(query.to(type).contiguous(), key.to(type).contiguous(), value.contiguous(), ends, heads,
                                scale);
}

}  // namespace summand::train
