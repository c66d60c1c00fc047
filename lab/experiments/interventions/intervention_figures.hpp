#pragma once

#include <string>
#include <vector>

#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/figure.hpp"
#include "lab/numbers.hpp"
#include "lab/runs/output_change.hpp"
#include "lab/words.hpp"

namespace summand::lab {

/// What one intervention did.
struct Response {
  std::string name;
  Words words;
  OutputChange change;
  MeanChange vectors;  ///< of the sentence vectors, over texts
};

/// What one part's strength did.
struct DoseResponse {
  DosedPart part = DosedPart::position;
  double strength = 1;
  MeanChange vectors;
};

/// @param one_word  what replacing a word of each text does
[[nodiscard]] Figure doses_figure(const std::vector<DoseResponse>& doses, double one_word);
[[nodiscard]] Figure responses_figure(const std::vector<Response>& responses, double one_word);
/// Those whose hidden states were compared.
[[nodiscard]] Figure layers_figure(const std::vector<Response>& responses);

}  // namespace summand::lab
