#include "engine/layers/heads.hpp"

#include <mutex>
#include <string>

#include "base/assert.hpp"

namespace summand::engine {

namespace {

using model::Head;

PackedLinear packed(const model::Weights& weights, const std::string& name) {
  return {weights.at(name + ".weight"), weights.at(name + ".bias")};
}

}  // namespace

MaskedLanguageHead::MaskedLanguageHead(const model::Config& config, const model::Weights& weights, int threads)
    : transform(packed(weights, "cls.predictions.transform.dense")),
      norm(weights, "cls.predictions.transform.LayerNorm", config.layer_norm_eps),
      decoder(model::decoder_weight(weights), model::decoder_bias(weights), threads) {}

Heads::Heads(const model::Config& config, const model::Weights& weights) : config_(config), weights_(weights) {
  if (has(Head::next_sentence)) next_sentence_.emplace(packed(weights, "cls.seq_relationship"));
  if (has(Head::token_classification)) classifier_.emplace(packed(weights, "classifier"));
  if (has(Head::question_answering)) question_answering_.emplace(packed(weights, "qa_outputs"));
}

bool Heads::has(Head head) const {
  const bool readable = !model::reads_pooled_output(head) || weights_.contains("pooler.dense.weight");
  return readable && model::contains_head(weights_, head);
}

size_t Heads::columns(Head head) const {
  return head == Head::masked_language ? static_cast<size_t>(config_.vocab_size) : output(head).out();
}

void Heads::prepare(Head head, int threads) const {
  if (head != Head::masked_language || ready_masked_language_.load(std::memory_order_acquire) != nullptr) return;
  const std::lock_guard lock(packing_);
  if (!masked_language_) masked_language_.emplace(config_, weights_, threads);
  ready_masked_language_.store(&*masked_language_, std::memory_order_release);
}

const MaskedLanguageHead& Heads::masked_language() const {
  const MaskedLanguageHead* const ready = ready_masked_language_.load(std::memory_order_acquire);
  SUMMAND_ASSERT(ready != nullptr);
  return *ready;
}

const PackedLinear& Heads::output(Head head) const {
  switch (head) {
    case Head::masked_language:
      return masked_language().decoder;
    case Head::next_sentence:
      return *next_sentence_;
    case Head::sequence_classification:
    case Head::token_classification:
      return *classifier_;
    case Head::question_answering:
      return *question_answering_;
  }
  __builtin_unreachable();
}

}  // namespace summand::engine
