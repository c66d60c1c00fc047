#include "train/network/device_attention.hpp"

#include <vector>

namespace summand::train {

at::Tensor device_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const PackedTexts& texts) {
  std::vector<at::Tensor> contexts;
  size_t end = 0;
  for (size_t first = 0; first < texts.texts(); first = end) {
    const int64_t length = texts.length(first);
    for (end = first; end < texts.texts() && texts.length(end) == length;) ++end;
    const auto heads = [&](const at::Tensor& rows) {  // [texts, heads, length, head size]
      return rows.narrow(0, texts.begin(first), texts.begin(end) - texts.begin(first))
          .unflatten(0, {static_cast<int64_t>(end - first), length})
          .unflatten(-1, {texts.heads, rows.size(1) / texts.heads})
          .transpose(1, 2);
    };
    const at::Tensor context =
        at::scaled_dot_product_attention(heads(query), heads(key), heads(value), {}, 0, false, texts.scale);
    contexts.push_back(context.transpose(1, 2).flatten(2).flatten(0, 1));
  }
  return at::cat(contexts, 0);
}

}  // namespace summand::train
