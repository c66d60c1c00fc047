#pragma once

#include <string>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/estimate.hpp"

namespace summand::lab {

/// What one intervention did.
struct Response {
  std::string name;
  LocalizedText words;
  OutputChange change;
  Estimate vectors;  ///< of the sentence vectors, over texts
};

/// What one part's strength did.
struct DoseResponse {
  DosedPart part = DosedPart::position;
  double strength = 1;
  Estimate vectors;
};

/// @param one_word  what replacing a word of each text does
[[nodiscard]] Figure doses_figure(const std::vector<DoseResponse>& doses, double one_word);
[[nodiscard]] Figure responses_figure(const std::vector<Response>& responses, double one_word);
/// Those whose hidden states were compared.
[[nodiscard]] Figure layers_figure(const std::vector<Response>& responses);

}  // namespace summand::lab
