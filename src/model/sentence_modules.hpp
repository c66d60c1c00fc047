#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/enum_names.hpp"
#include "model/weights.hpp"
#include "summand/embeddings.hpp"

namespace summand {

// Beside the enumeration, where it is found by its argument.
[[nodiscard]] std::span<const model::EnumName<Pooling>> enum_names(Pooling);

}  // namespace summand

namespace summand::model {

using summand::Pooling;

/// Non-linearities of sentence-transformers' Dense module.
enum class DenseActivation { identity, tanh, relu, gelu, sigmoid };

[[nodiscard]] std::span<const EnumName<DenseActivation>> enum_names(DenseActivation);

/// One Dense module: activation(W·x + b).
struct Dense {
  Tensor weight;               ///< [out, in]
  std::optional<Tensor> bias;  ///< [out]
  DenseActivation activation = DenseActivation::tanh;
};

/// What a sentence-transformers directory adds to a BERT: from hidden states to the sentence vector.
struct SentenceModules {
  std::vector<Pooling> pooling{Pooling::mean};  ///< several are put side by side, in sentence-transformers' order
  bool include_prompt = true;                   ///< whether pooling counts the prompt's tokens
  std::vector<Dense> dense;
  bool normalize = false;                     ///< divide by the Euclidean norm
  std::optional<size_t> truncate_dimensions;  ///< keep this many first coordinates
  std::optional<size_t> max_seq_length;       ///< tokens of a text, specials included
  std::optional<bool> do_lower_case;  ///< sentence_bert_config.json's: lower-cases the text before the tokenizer
  std::map<std::string, std::string> prompts;  ///< name → text put before every text
  std::optional<std::string> default_prompt_name;
  bool from_directory = false;  ///< false: the directory has no modules.json, and these are defaults
};

}  // namespace summand::model
