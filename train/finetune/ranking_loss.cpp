#include "train/finetune/ranking_loss.hpp"

#include <limits>

namespace summand::train {

namespace {

constexpr double kLeastLength = 1e-12;  // of torch.nn.functional.normalize

at::Tensor normalised(const at::Tensor& rows) {
  return rows / rows.norm(2, {-1}, true).clamp_min(kLeastLength);
}

at::Tensor own_places(const at::Tensor& logits) {
  return at::arange(logits.size(0), logits.options().dtype(at::kLong));
}

}  // namespace

at::Tensor false_negatives(std::span<const size_t> anchors, std::span<const size_t> positives) {
  const auto rows = static_cast<int64_t>(anchors.size());
  const at::Tensor mask = at::zeros({rows, rows}, at::kBool);
  auto* entries = mask.mutable_data_ptr<bool>();
  for (size_t row = 0; row < anchors.size(); ++row) {
    for (size_t other = 0; other < anchors.size(); ++other) {
      const bool is_right =
          anchors[other] == anchors[row] || positives[other] == positives[row] || positives[other] == anchors[row];
      entries[row * anchors.size() + other] = other != row && is_right;
    }
  }
  return mask;
}

at::Tensor ranking_logits(const at::Tensor& anchors, const at::Tensor& positives, const at::Tensor& false_negatives,
                          double scale) {
  const at::Tensor cosines = at::matmul(normalised(anchors), normalised(positives).transpose(0, 1));
  return (cosines * scale).masked_fill(false_negatives, -std::numeric_limits<double>::infinity());
}

at::Tensor ranking_loss(const at::Tensor& logits) {
  return at::cross_entropy_loss(logits, own_places(logits));
}

at::Tensor ranked_first(const at::Tensor& logits) {
  return logits.argmax(-1).eq(own_places(logits));
}

}  // namespace summand::train
