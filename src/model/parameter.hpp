#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/enum_names.hpp"

namespace summand::model {

/// The parts of a model that a parameter can belong to.
enum class ParameterGroup {
  token_table,
  position_table,
  segment_table,
  composition,
  embedding_norm,
  encoder,
  attention_encoding,  ///< what tells attention itself positions and segments
  pooler,
  window_encoder,  ///< the transformer over a text's windows
  heads,
};

[[nodiscard]] std::span<const EnumName<ParameterGroup>> enum_names(ParameterGroup);

/// How training fills a parameter at first. Source: transformers, BertPreTrainedModel._init_weights: matrices normal
/// with standard deviation initializer_range, biases 0, normalisation weights 1.
enum class Initialiser {
  normal,
  zeros,
  ones,
  fixed_normal,          ///< as normal; training leaves it as it is
  sinusoid_frequencies,  ///< 10000^(−2i/width)
  token_directions,  ///< the token table's first principal directions, rows of length 1; training leaves them as they
                     ///< are
};

/// One entry of the parameter contract.
struct Parameter {
  std::string name;           ///< Hugging Face's, without the `bert.` prefix
  std::vector<size_t> shape;  ///< matrices are [out, in], tables [rows, hidden]
  Initialiser initialiser = Initialiser::normal;
  ParameterGroup part = ParameterGroup::encoder;
};

/// Number of elements of a parameter.
[[nodiscard]] size_t elements(const Parameter& parameter);

}  // namespace summand::model
