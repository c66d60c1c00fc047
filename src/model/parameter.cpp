#include "model/parameter.hpp"

#include <array>
#include <functional>
#include <numeric>

namespace summand::model {

std::span<const EnumName<Part>> enum_names(Part) {
  static constexpr std::array names{
      EnumName{Part::token_table, "token table"},
      EnumName{Part::position_table, "position table"},
      EnumName{Part::segment_table, "segment table"},
      EnumName{Part::composition, "composition"},
      EnumName{Part::embedding_norm, "input norm"},
      EnumName{Part::encoder, "encoder"},
      EnumName{Part::attention_encoding, "in attention"},
      EnumName{Part::pooler, "pooler"},
      EnumName{Part::heads, "heads"},
  };
  return names;
}

size_t elements(const Parameter& parameter) {
  return std::accumulate(parameter.shape.begin(), parameter.shape.end(), size_t{1}, std::multiplies<>());
}

}  // namespace summand::model
