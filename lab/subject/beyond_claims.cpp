#include "lab/subject/beyond_claims.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "model/config.hpp"

namespace summand::lab {

namespace {

/// "position_attention: expected 'none', got 'alibi'"; empty of a BERT.
std::string difference_from_bert(const model::Config& config) {
  const model::Config plain;
  if (std::holds_alternative<model::JointTable>(config.composition)) {
    return "composition: expected one with a table of tokens, got 'joint_table'";
  }
  if (std::holds_alternative<model::HierarchicalPositions>(config.position)) {
    return "position_kind: expected one with a row for each position, got 'hierarchical'";
  }
  if (!config.normalise_input) return "normalise_input: expected true, got false";
  for (const auto& [key, kind] : {std::pair{"position_attention", &config.position_attention},
                                  std::pair{"segment_attention", &config.segment_attention}}) {
    if (*kind != plain.position_attention) {
      return fmt::format("{}: expected 'none', got '{}'", key, model::name_of(*kind));
    }
  }
  if (config.attention != plain.attention) return "attention_…: expected attention as in BERT, got another";
  if (config.per_layer_inputs.any()) return "…_again: expected no part again at every layer, got some";
  return "";
}

}  // namespace

std::optional<LocalizedText> beyond_claims(const Subject& subject) {
  if (!subject.model) return {};
  const auto found = difference_from_bert(subject.model->config());
  if (found.empty()) return {};
  return LocalizedText{fmt::format("the claims are about BERT, not about this model (summand.{})", found),
                       fmt::format("各条说法针对 BERT，不针对此模型（summand.{}）", found)};
}

void require_claims(const Subject& subject) {
  if (!subject.model) return;
  const auto found = difference_from_bert(subject.model->config());
  if (found.empty()) return;
  throw ConfigError(path_text(subject.model->checkpoint().directory),
                    fmt::format("summand.{}: the laboratory's claims are about BERT; --table takes a table of "
                                "positions alone apart",
                                found));
}

}  // namespace summand::lab
