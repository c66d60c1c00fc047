#include "train/pretrain/objective.hpp"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <span>

#include "train/network/autocast.hpp"
#include "train/network/products.hpp"
#include "train/run/ratio.hpp"

namespace summand::train {

namespace {

constexpr size_t kRowsAtOnce = 128;  // 128 logits of 30,522 tokens are 16 MB

/// Loss and accuracy of one head's logits.
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

/// Of some of a batch's predicted tokens.
Loss masked_loss(const Network& network, const Pass& pass, const MaskedBatch& batch, size_t begin, size_t end,
                 const Denominators& of) {
  const auto part = [&](const auto& all) { return std::span(all).subspan(begin, end - begin); };
  const auto rows = part(batch.predicted);
  const auto masked = judged(network.logits(model::Head::masked_language, pass, {rows.begin(), rows.end()}),
                             index_tensor(part(batch.targets), network.parameters().placement()));
  return {.share = masked.sum / static_cast<double>(of.predicted),
          .sums = {.masked_loss = masked.loss, .predicted = rows.size(), .masked_right = masked.right}};
}

void add_pair_loss(Loss& loss, const Network& network, const Pass& pass, const MaskedBatch& batch,
                   const Denominators& of) {
  if (batch.pair_labels.empty()) return;
  const auto pairs =
      judged(network.logits(model::Head::next_sentence, pass),
             index_tensor(std::span<const int32_t>(batch.pair_labels), network.parameters().placement()));
  loss.share = added(loss.share, pairs.sum / static_cast<double>(of.pairs));
  loss.sums.pair_loss = pairs.loss;
  loss.sums.pairs = batch.pair_labels.size();
  loss.sums.pairs_right = pairs.right;
  loss.sums.pairs_follow_not = static_cast<uint64_t>(std::ranges::count(batch.pair_labels, kFollowsNot));
}

/// Predicted tokens, and the first of each text for the pooler.
std::vector<size_t> needed_tokens(const Network& network, const MaskedBatch& batch) {
  std::vector<size_t> tokens = batch.predicted;
  if (network.parameters().find("pooler.dense.weight") != nullptr) {
    tokens.insert(tokens.end(), batch.batch.offsets.begin(), batch.batch.offsets.end() - 1);
  }
  std::ranges::sort(tokens);
  const auto repeated = std::ranges::unique(tokens);
  tokens.erase(repeated.begin(), repeated.end());
  return tokens;
}

/// The head's gradient gathers at the encoder's output, piece by piece, and then goes through the encoder at once.
void add_masked_gradients(Loss& rest, const Network& network, Pass& pass, const MaskedBatch& batch,
                          const Denominators& of, Precision precision) {
  const at::Tensor output = pass.hidden_states.back();
  const at::Tensor cut = output.detach().set_requires_grad(true);
  pass.hidden_states.back() = cut;
  for (size_t begin = 0; begin < batch.predicted.size(); begin += kRowsAtOnce) {
    Loss piece;
    {
      const Autocast autocast(precision, output.device().type());
      piece = masked_loss(network, pass, batch, begin, std::min(batch.predicted.size(), begin + kRowsAtOnce), of);
    }
    rest.sums += piece.sums;
    piece.share.backward();
  }
  if (cut.grad().defined()) rest.share = added(rest.share, (output * cut.grad()).sum());
}

/// The same by add_vocabulary_gradients(). @return the gradients at the rows that are multiplied with the vocabulary
void add_vocabulary_loss(Loss& rest, const Network& network, const Pass& pass, const MaskedBatch& batch,
                         const Denominators& of, torch::autograd::variable_list& roots,
                         torch::autograd::variable_list& gradients) {
  const VocabularyProduct product = network.vocabulary_product(pass, batch.predicted);
  const VocabularyLoss loss = add_vocabulary_gradients(
      product, index_tensor(std::span<const int32_t>(batch.targets), network.parameters().placement()),
      1 / static_cast<double>(of.predicted));
  rest.sums += {.masked_loss = loss.sum, .predicted = batch.predicted.size(), .masked_right = loss.right};
  roots.push_back(product.rows);
  gradients.push_back(loss.of_rows.to(product.rows.scalar_type()));
}

}  // namespace

LossSums& LossSums::operator+=(const LossSums& other) {
  masked_loss += other.masked_loss;
  predicted += other.predicted;
  masked_right += other.masked_right;
  pair_loss += other.pair_loss;
  pairs += other.pairs;
  pairs_right += other.pairs_right;
  pairs_follow_not += other.pairs_follow_not;
  return *this;
}

double LossSums::mean_masked_loss() const {
  return ratio(masked_loss, static_cast<double>(predicted));
}

double LossSums::mean_pair_loss() const {
  return ratio(pair_loss, static_cast<double>(pairs));
}

double LossSums::pair_base_rate() const {
  const uint64_t commoner = std::max(pairs_follow_not, pairs - std::min(pairs, pairs_follow_not));
  return ratio(static_cast<double>(commoner), static_cast<double>(pairs));
}

Sums to_sums(const LossSums& sums) {
  return {{"masked_loss", sums.masked_loss},
          {"predicted", static_cast<double>(sums.predicted)},
          {"masked_right", static_cast<double>(sums.masked_right)},
          {"pair_loss", sums.pair_loss},
          {"pairs", static_cast<double>(sums.pairs)},
          {"pairs_right", static_cast<double>(sums.pairs_right)},
          {"pairs_follow_not", static_cast<double>(sums.pairs_follow_not)}};
}

LossSums loss_sums(const Sums& sums) {
  const auto value = [&](const char* name) {
    const auto found = sums.find(name);
    return found == sums.end() ? 0 : found->second;
  };
  const auto count = [&](const char* name) { return static_cast<uint64_t>(value(name)); };
  return {.masked_loss = value("masked_loss"),
          .predicted = count("predicted"),
          .masked_right = count("masked_right"),
          .pair_loss = value("pair_loss"),
          .pairs = count("pairs"),
          .pairs_right = count("pairs_right"),
          .pairs_follow_not = count("pairs_follow_not")};
}

Loss batch_loss(const Network& network, const MaskedBatch& batch, const Denominators& of, const Dropout* dropout) {
  const Pass pass = network.run(batch.batch, dropout);
  Loss loss;
  if (!batch.predicted.empty()) loss = masked_loss(network, pass, batch, 0, batch.predicted.size(), of);
  add_pair_loss(loss, network, pass, batch, of);
  return loss;
}

LossSums accumulate_gradients(const Network& network, const MaskedBatch& batch, const Denominators& of,
                              const Dropout* dropout, Precision precision) {
  const Parameters& parameters = network.parameters();
  const bool at_once = has_own_passes(parameters.at("embeddings.word_embeddings.weight"));
  torch::autograd::variable_list roots, gradients;
  Pass pass;
  Loss rest;
  {
    const Autocast autocast(precision, parameters.placement().device.type());
    pass = network.run(batch.batch, dropout, at_once ? needed_tokens(network, batch) : std::vector<size_t>());
    add_pair_loss(rest, network, pass, batch, of);
    if (at_once && !batch.predicted.empty()) add_vocabulary_loss(rest, network, pass, batch, of, roots, gradients);
  }
  if (!at_once) add_masked_gradients(rest, network, pass, batch, of, precision);
  if (rest.share.defined()) {
    roots.push_back(rest.share);
    gradients.emplace_back();
  }
  if (!roots.empty()) torch::autograd::backward(roots, gradients);
  return rest.sums;
}

}  // namespace summand::train
