#include "lab/report/glossary.hpp"

#include <nlohmann/json.hpp>

#include "lab/report/assets.hpp"
#include "lab/results/findings_json.hpp"

namespace summand::lab {

namespace {

std::vector<Term> read_terms() {
  std::vector<Term> terms;
  for (const auto& term : nlohmann::json::parse(assets::glossary_json)) {
    terms.push_back({.id = term.at("id").get<std::string>(),
                     .name = term.at("name").get<LocalizedText>(),
                     .meaning = term.at("meaning").get<LocalizedText>(),
                     .linked = term.value("linked", "") == "as_a_label" ? Linked::as_a_label : Linked::in_texts,
                     .elsewhere = term.value("elsewhere", std::vector<LocalizedText>{})});
  }
  return terms;
}

}  // namespace

const std::vector<Term>& glossary() {
  static const std::vector<Term> terms = read_terms();
  return terms;
}

}  // namespace summand::lab
