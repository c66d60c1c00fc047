#include "io/classifier_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"

namespace summand::io {

namespace {

using model::Head;

struct NamedKind {
  std::string_view part;  ///< of the name of a class
  std::optional<Head> head;
};
constexpr std::array kNamedKinds{
    NamedKind{"SequenceClassification", Head::sequence_classification},
    NamedKind{"TokenClassification", Head::token_classification},
    NamedKind{"MultipleChoice", std::nullopt},
};

/// Labels of parts of texts, as names are tagged: outside, begin, inside.
bool has_labels_of_tokens(const model::Labels& labels) {
  const auto begins = [](const std::string& label) { return label.starts_with("B-") || label.starts_with("I-"); };
  return std::ranges::count(labels, "O") > 0 && std::ranges::any_of(labels, begins);
}

}  // namespace

ClassifierKind classifier_kind(const model::ParsedConfig& parsed, model::Pooler pooler) {
  for (const auto& name : parsed.config.architectures) {
    for (const auto& [part, head] : kNamedKinds) {
      if (name.find(part) == name.npos) continue;
      return {.head = head, .why = fmt::format("architectures names '{}'", printable(name)), .is_named = true};
    }
  }
  if (parsed.config.problem_type != model::ProblemType::unspecified) {
    return {.head = Head::sequence_classification, .why = "problem_type is given"};
  }
  if (parsed.names_labels && has_labels_of_tokens(parsed.config.labels)) {
    return {.head = Head::token_classification, .why = "its labels are O, B-… and I-…"};
  }
  if (pooler == model::Pooler::present) return {.head = Head::sequence_classification, .why = "there is a pooler"};
  return {.head = Head::token_classification, .why = "there is no pooler"};
}

}  // namespace summand::io
