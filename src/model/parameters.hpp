#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config.hpp"
#include "model/enum_names.hpp"
#include "model/heads.hpp"

namespace summand::model {

/// The parts of a model that a parameter can belong to.
enum class Part { token_table, position_table, segment_table, composition, embedding_norm, encoder, pooler, heads };

[[nodiscard]] std::span<const EnumName<Part>> enum_names(Part);

/// How training fills a parameter at first. Source: transformers, BertPreTrainedModel._init_weights: matrices normal
/// with standard deviation initializer_range, biases 0, normalisation weights 1.
enum class Initialiser { normal, zeros, ones };

/// One entry of the parameter contract.
struct Parameter {
  std::string name;           ///< Hugging Face's, without the `bert.` prefix
  std::vector<size_t> shape;  ///< matrices are [out, in], tables [rows, hidden]
  Initialiser initialiser = Initialiser::normal;
  Part part = Part::encoder;
};

/// Every parameter of a model, in the order of the forward pass. The loader checks files against this list, training
/// registers by it, the engine asks by it, counts come from it.
[[nodiscard]] std::vector<Parameter> parameters(const Config& config, const ModelParts& parts);

/// The parameters of one head, the last in parameters(). A tied decoder's weight is the token table, listed there.
[[nodiscard]] std::vector<Parameter> head_parameters(const Config& config, Head head, Decoder decoder);

/// Number of elements of a parameter.
[[nodiscard]] size_t elements(const Parameter& parameter);

/// The name of a parameter of an encoder layer, as in "encoder.layer.3.attention.self.query.weight".
[[nodiscard]] std::string layer_parameter(size_t layer, std::string_view rest);

}  // namespace summand::model
