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

namespace summand::model {

/// How a text's hidden states become one vector. Source: sentence-transformers, models/Pooling.py; the last-four forms
/// are those of Devlin et al. 2019, table 7, with the mean over tokens taken afterwards.
enum class Pooling {
  cls,               ///< the first token's vector
  mean,              ///< mean over tokens
  max,               ///< largest value over tokens, per coordinate
  mean_sqrt_length,  ///< sum over tokens divided by the square root of their number
  weighted_mean,     ///< mean with weights 1, 2, 3, … (SGPT, Muennighoff 2022)
  last_token,        ///< the last token's vector
  last_four_mean,    ///< mean over tokens of the mean of the last four layers
  last_four_concat,  ///< mean over tokens of the last four layers side by side
};

[[nodiscard]] std::span<const EnumName<Pooling>> enum_names(Pooling);

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
