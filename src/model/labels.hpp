#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/enum_names.hpp"

namespace summand::model {

/// The names of a classifier's outputs, in order: what config.json calls id2label.
struct Labels {
  std::vector<std::string> names = {"LABEL_0", "LABEL_1"};  ///< Hugging Face's, where the file has none

  [[nodiscard]] size_t size() const { return names.size(); }
  [[nodiscard]] const std::string& operator[](size_t index) const { return names[index]; }
  [[nodiscard]] auto begin() const { return names.begin(); }
  [[nodiscard]] auto end() const { return names.end(); }
  bool operator==(const Labels&) const = default;
};

/// LABEL_0, LABEL_1, …: the names that Hugging Face gives where a file has only their number.
[[nodiscard]] Labels numbered_labels(size_t count);

/// The meaning of a sequence classifier's outputs.
enum class ProblemType {
  unspecified,  ///< the file does not say
  regression,
  single_label_classification,
  multi_label_classification,
};

/// Without `unspecified`, which has no spelling: the key is absent or null.
[[nodiscard]] std::span<const EnumName<ProblemType>> enum_names(ProblemType);

}  // namespace summand::model
