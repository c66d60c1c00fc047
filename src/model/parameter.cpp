#include "model/parameter.hpp"

#include <array>
#include <functional>
#include <numeric>

namespace summand::model {

std::span<const EnumName<ParameterGroup>> enum_names(ParameterGroup) {
  static constexpr std::array names{
      EnumName{ParameterGroup::token_table, "token table"},
      EnumName{ParameterGroup::position_table, "position table"},
      EnumName{ParameterGroup::segment_table, "segment table"},
      EnumName{ParameterGroup::composition, "composition"},
      EnumName{ParameterGroup::embedding_norm, "input norm"},
      EnumName{ParameterGroup::encoder, "encoder"},
      EnumName{ParameterGroup::attention_encoding, "in attention"},
      EnumName{ParameterGroup::pooler, "pooler"},
      EnumName{ParameterGroup::window_encoder, "window encoder"},
      EnumName{ParameterGroup::heads, "heads"},
  };
  return names;
}

size_t elements(const Parameter& parameter) {
  return std::accumulate(parameter.shape.begin(), parameter.shape.end(), size_t{1}, std::multiplies<>());
}

}  // namespace summand::model
