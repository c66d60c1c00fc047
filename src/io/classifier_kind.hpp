#pragma once

#include <optional>
#include <string>

#include "model/config.hpp"
#include "model/heads.hpp"

namespace summand::io {

/// Whether `classifier.weight` [labels, hidden] classifies texts or tokens; its shape fits both.
struct ClassifierKind {
  std::optional<model::Head> head;  ///< none: another head's, as of multiple choice
  std::string why;                  ///< "there is a pooler"
  bool is_named = false;            ///< whether `architectures` says it
};

/// The first of these that says anything:
///
/// 1. a name in architectures with SequenceClassification, TokenClassification or MultipleChoice in it;
/// 2. problem_type, which only classifiers of texts have: texts;
/// 3. labels O and B-… or I-…: tokens;
/// 4. the tensors: with a pooler texts, for nothing else reads it; without one tokens, for texts need it.
[[nodiscard]] ClassifierKind classifier_kind(const model::ParsedConfig& parsed, model::Pooler pooler);

}  // namespace summand::io
