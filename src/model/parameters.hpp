#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/parameter.hpp"

namespace summand::model {

/// Every parameter of a model, in the order of the forward pass. The loader checks files against this list, training
/// registers by it, the engine asks by it, counts come from it.
[[nodiscard]] std::vector<Parameter> parameters(const Config& config, const ModelParts& parts);

/// The parameters of one head, the last in parameters(). A tied decoder's weight is the token table, listed there.
[[nodiscard]] std::vector<Parameter> head_parameters(const Config& config, Head head, Decoder decoder);

/// The name of a parameter of an encoder layer, as in "encoder.layer.3.attention.self.query.weight".
[[nodiscard]] std::string layer_parameter(size_t layer, std::string_view rest);

}  // namespace summand::model
