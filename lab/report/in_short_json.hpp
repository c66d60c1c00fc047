#pragma once

#include <optional>

#include "lab/results/in_short.hpp"

namespace summand::lab {

/// As the report and a comparison have it. @param said  from LocalizedText to JSON: in English, or in both languages
template <class Json, class Said>
[[nodiscard]] Json in_short_json(const InShort& known, Said said) {
  const auto answer = [&](const std::optional<LedAnswer>& one) {
    return one ? Json{{"lead", said(one->lead)}, {"text", said(one->text)}} : Json();
  };
  Json learned = Json::array();
  for (const auto& one : known.learned) {
    learned.push_back({{"name", said(one.name)},
                       {"words", said(one.words)},
                       {"claim", one.claim},
                       {"number", one.number},
                       {"is_verdict", one.is_verdict}});
  }
  return {{"adding", answer(known.adding)},
          {"table", answer(known.table)},
          {"learned", std::move(learned)},
          {"circles", said(known.circles)},
          {"not_run", known.not_run}};
}

}  // namespace summand::lab
