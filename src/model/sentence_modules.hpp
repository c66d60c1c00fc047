#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/enum_names.hpp"
#include "model/module_activation.hpp"
#include "model/weights.hpp"
#include "summand/embeddings.hpp"
#include "summand/similarity.hpp"

namespace summand {

// In the enumeration's namespace, for argument-dependent lookup.
[[nodiscard]] std::span<const model::EnumName<Pooling>> enum_names(Pooling);
/// sentence-transformers' names.
[[nodiscard]] std::span<const model::EnumName<Similarity>> enum_names(Similarity);

}  // namespace summand

namespace summand::model {

using summand::Pooling;
using summand::Similarity;

/// The residual that a Dense module adds to its result.
enum class Residual {
  none,
  input,      ///< what came in, as wide as the result
  projected,  ///< a matrix times what came in
};

/// One Dense module: activation(W·x + b), plus a residual.
struct Dense {
  Tensor weight;               ///< [out, in]
  std::optional<Tensor> bias;  ///< [out]
  TorchActivation activation = TorchActivation::tanh;
  Residual residual = Residual::none;
  std::optional<Tensor> projection;  ///< [out, in], of Residual::projected
};

/// One LayerNorm module, with torch's epsilon.
struct VectorNorm {
  static constexpr double kEpsilon = 1e-5;
  Tensor weight;  ///< [width]
  Tensor bias;    ///< [width]
};

/// One Normalize module: division by the Euclidean norm.
struct Normalize {};

/// The steps after pooling, module by module.
using SentenceStep = std::variant<Dense, VectorNorm, Normalize>;

/// The modules of a sentence-transformers directory: from hidden states to the sentence vector.
struct SentenceModules {
  std::vector<Pooling> pooling{Pooling::mean};  ///< several are put side by side, in sentence-transformers' order
  bool include_prompt = true;                   ///< whether pooling counts the prompt's tokens
  std::vector<SentenceStep> steps;              ///< behind the pooling, in their order
  std::optional<size_t> truncate_dimensions;    ///< keep this many first coordinates
  std::optional<size_t> max_seq_length;         ///< tokens of a text, specials included
  std::optional<bool> do_lower_case;  ///< sentence_bert_config.json's: lower-cases the text before the tokenizer
  std::map<std::string, std::string> prompts;  ///< name → text put before every text
  std::optional<std::string> default_prompt_name;
  Similarity similarity = Similarity::cosine;  ///< by which its vectors are compared
  bool names_similarity = false;               ///< false: the files do not say, and it is the default
  bool from_directory = false;                 ///< false: the directory has no modules.json, and these are defaults
};

/// The dense modules among the steps.
[[nodiscard]] std::vector<const Dense*> dense_steps(const SentenceModules& modules);

/// The first of the Normalize modules at the end, with none behind it: what makes a vector a normalised one.
[[nodiscard]] size_t first_ending(const SentenceModules& modules);

}  // namespace summand::model
