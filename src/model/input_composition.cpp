#include "model/input_composition.hpp"

#include <array>

namespace summand::model {

std::span<const EnumName<InputComposition>> enum_names(InputComposition) {
  static constexpr std::array names{
      EnumName{InputComposition::sum, "sum"},
      EnumName{InputComposition::scaled_sum, "scaled_sum"},
      EnumName{InputComposition::weighted_sum, "weighted_sum"},
      EnumName{InputComposition::scalar_gate, "scalar_gate"},
      EnumName{InputComposition::vector_gate, "vector_gate"},
      EnumName{InputComposition::concatenate_project, "concatenate_project"},
      EnumName{InputComposition::multiplicative, "multiplicative"},
  };
  return names;
}

}  // namespace summand::model
