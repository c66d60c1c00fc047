#include "train/finetune/vectors/ranking_loss.hpp"

#include <limits>
#include <map>
#include <set>

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

at::Tensor false_negatives(const RowTexts& texts) {
  const size_t rows = texts.anchors.size();
  std::map<size_t, std::set<size_t>> right;  // of each anchor
  for (size_t row = 0; row < rows; ++row) {
    right[texts.anchors[row]].insert({texts.anchors[row], texts.positives[row]});
  }
  std::vector<size_t> candidates = texts.positives;
  candidates.insert(candidates.end(), texts.negatives.begin(), texts.negatives.end());
  const at::Tensor mask = at::zeros({static_cast<int64_t>(rows), static_cast<int64_t>(candidates.size())}, at::kBool);
  auto* entry = mask.mutable_data_ptr<bool>();
  for (size_t row = 0; row < rows; ++row) {
    const std::set<size_t>& own = right.at(texts.anchors[row]);
    for (size_t other = 0; other < candidates.size(); ++other) {
      *entry++ = other != row && own.contains(candidates[other]);
    }
  }
  return mask;
}

at::Tensor rows_with_wrong_texts(const at::Tensor& false_negatives) {
  return false_negatives.logical_not().sum(-1).gt(1);
}

at::Tensor ranking_logits(const at::Tensor& anchors, const at::Tensor& candidates, const at::Tensor& false_negatives,
                          double scale) {
  const at::Tensor cosines = at::matmul(normalised(anchors), normalised(candidates).transpose(0, 1));
  return (cosines * scale).masked_fill(false_negatives, -std::numeric_limits<double>::infinity());
}

at::Tensor ranking_loss(const at::Tensor& logits) {
  return at::cross_entropy_loss(logits, own_places(logits));
}

at::Tensor ranked_first(const at::Tensor& logits) {
  return logits.argmax(-1).eq(own_places(logits));
}

}  // namespace summand::train
