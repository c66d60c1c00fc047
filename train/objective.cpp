#include "train/objective.hpp"

namespace summand::train {

namespace {

/// One head's logits beside what is right.
struct Judged {
  at::Tensor sum;  // of the losses, nats
  double loss = 0;
  uint64_t right = 0;
};

Judged judged(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor single = logits.to(at::kFloat);
  Judged result;
  result.sum = at::cross_entropy_loss(single, targets, {}, at::Reduction::Sum);
  result.loss = result.sum.item<double>();
  result.right = static_cast<uint64_t>(single.detach().argmax(-1).eq(targets).sum().item<int64_t>());
  return result;
}

at::Tensor added(const at::Tensor& sum, const at::Tensor& other) {
  return sum.defined() ? sum + other : other;
}

double ratio(double sum, uint64_t count) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

LossSums& LossSums::operator+=(const LossSums& other) {
  masked_loss += other.masked_loss;
  predicted += other.predicted;
  masked_right += other.masked_right;
  pair_loss += other.pair_loss;
  pairs += other.pairs;
  pairs_right += other.pairs_right;
  return *this;
}

double LossSums::mean_masked_loss() const {
  return ratio(masked_loss, predicted);
}

double LossSums::mean_pair_loss() const {
  return ratio(pair_loss, pairs);
}

Loss loss_of(const Network& network, const MaskedBatch& batch, const Denominators& of, const Dropout* dropout) {
  const Placement& placement = network.parameters().placement();
  const Pass pass = network.run(batch.batch, dropout);
  Loss loss;
  if (!batch.predicted.empty()) {
    const auto masked = judged(network.logits(model::Head::masked_language, pass, batch.predicted),
                               indices_of(std::span<const int32_t>(batch.targets), placement));
    loss.share = masked.sum / static_cast<double>(of.predicted);
    loss.sums.masked_loss = masked.loss;
    loss.sums.predicted = batch.predicted.size();
    loss.sums.masked_right = masked.right;
  }
  if (!batch.pair_labels.empty()) {
    const auto pairs = judged(network.logits(model::Head::next_sentence, pass),
                              indices_of(std::span<const int32_t>(batch.pair_labels), placement));
    loss.share = added(loss.share, pairs.sum / static_cast<double>(of.pairs));
    loss.sums.pair_loss = pairs.loss;
    loss.sums.pairs = batch.pair_labels.size();
    loss.sums.pairs_right = pairs.right;
  }
  return loss;
}

}  // namespace summand::train
