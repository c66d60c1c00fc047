#include "model/heads.hpp"

#include <algorithm>
#include <array>

namespace summand {

std::span<const model::EnumName<Head>> enum_names(Head) {
  static constexpr std::array names{
      model::EnumName{Head::masked_language, "masked language"},
      model::EnumName{Head::next_sentence, "next sentence"},
      model::EnumName{Head::sequence_classification, "sequence classification"},
      model::EnumName{Head::token_classification, "token classification"},
      model::EnumName{Head::question_answering, "question answering"},
  };
  return names;
}

}  // namespace summand

namespace summand::model {

bool reads_pooled_output(Head head) {
  switch (head) {
    case Head::masked_language:
    case Head::token_classification:
    case Head::question_answering:
      return false;
    case Head::next_sentence:
    case Head::sequence_classification:
      return true;
  }
  __builtin_unreachable();
}

bool reads_every_token(Head head) {
  return !reads_pooled_output(head) && head != Head::masked_language;
}

bool ModelParts::has(Head head) const {
  return std::ranges::count(heads, head) > 0;
}

const AbsentHead* ModelParts::find_absent(Head head) const {
  const auto found = std::ranges::find(absent, head, &AbsentHead::head);
  return found == absent.end() ? nullptr : &*found;
}

const Tensor& decoder_weight(const Weights& weights) {
  if (const Tensor* own = weights.find("cls.predictions.decoder.weight")) return *own;
  return weights.at("embeddings.word_embeddings.weight");
}

const Tensor& decoder_bias(const Weights& weights) {
  if (const Tensor* own = weights.find("cls.predictions.decoder.bias")) return *own;
  return weights.at("cls.predictions.bias");
}

bool contains_head(const Weights& weights, Head head) {
  switch (head) {
    case Head::masked_language:
      return weights.contains("cls.predictions.transform.dense.weight");
    case Head::next_sentence:
      return weights.contains("cls.seq_relationship.weight");
    case Head::sequence_classification:
    case Head::token_classification:
      return weights.contains("classifier.weight");
    case Head::question_answering:
      return weights.contains("qa_outputs.weight");
  }
  __builtin_unreachable();
}

}  // namespace summand::model
