#include "model/labels.hpp"

#include <fmt/format.h>

#include <array>

namespace summand::model {

Labels numbered_labels(size_t count) {
  Labels labels{.names = {}};
  for (size_t index = 0; index < count; ++index) labels.names.push_back(fmt::format("LABEL_{}", index));
  return labels;
}

std::span<const EnumName<ProblemType>> enum_names(ProblemType) {
  static constexpr std::array names{
      EnumName{ProblemType::regression, "regression"},
      EnumName{ProblemType::single_label_classification, "single_label_classification"},
      EnumName{ProblemType::multi_label_classification, "multi_label_classification"},
  };
  return names;
}

}  // namespace summand::model
