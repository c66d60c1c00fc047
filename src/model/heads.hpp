#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/enum_names.hpp"
#include "model/weights.hpp"
#include "summand/heads.hpp"

namespace summand {

// In the enumeration's namespace, for argument-dependent lookup.
[[nodiscard]] std::span<const model::EnumName<Head>> enum_names(Head);

}  // namespace summand

namespace summand::model {

using summand::Head;

/// Whether a head reads the pooled output rather than tokens.
[[nodiscard]] bool reads_pooled_output(Head head);

/// Whether a head gives each token a row of logits; the masked-language head gives the masked ones alone one.
[[nodiscard]] bool reads_every_token(Head head);

/// The source of the masked-language decoder's weight.
enum class Decoder {
  tied,  ///< the token table; the bias is cls.predictions.bias
  own,   ///< cls.predictions.decoder.weight and .bias
};

/// Whether a model has the pooled output's dense layer; sentence and masked-language models often have none.
enum class Pooler { absent, present };

/// A head that a model has tensors of and yet has not.
struct AbsentHead {
  /// Tensors that are not all there, do not fit, or are another head's; or a setting of config.json that it needs.
  enum class Cause { tensors, setting };
  Head head = Head::masked_language;
  Cause cause = Cause::tensors;
  std::string where;   ///< the file that is to blame
  std::string reason;  ///< in words
};

/// The parts of a model besides embeddings and encoder.
struct ModelParts {
  Pooler pooler = Pooler::absent;
  std::vector<Head> heads = {};
  Decoder decoder = Decoder::tied;
  std::vector<AbsentHead> absent = {};
  /// A tensor of no known head: "'qa_outputs.weight' [2, 384]".
  std::vector<std::string> other_tensors = {};

  [[nodiscard]] bool has(Head head) const;
  /// Why a head with tensors in the checkpoint is not loaded; null for other heads.
  [[nodiscard]] const AbsentHead* find_absent(Head head) const;
};

/// The masked-language decoder's weight, [vocabulary, hidden], and bias, [vocabulary], tied or not.
/// @throws CheckpointError if they are not there
[[nodiscard]] const Tensor& decoder_weight(const Weights& weights);
[[nodiscard]] const Tensor& decoder_bias(const Weights& weights);

/// Whether the parameters of a head are among the weights. Sequence and token classification have the same.
[[nodiscard]] bool contains_head(const Weights& weights, Head head);

}  // namespace summand::model
