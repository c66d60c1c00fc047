#pragma once

#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/experiments/tied_output/output_figures.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/subject/subject.hpp"

// What a tied output saves and costs, counted.
namespace summand::lab {

namespace tied_output {
inline constexpr NumberName kSavedMillions{"tied_output", "saved_millions"};
inline constexpr NumberName kSavedShare{"tied_output", "saved_share"};
inline constexpr NumberName kDecoderShared{"tied_output", "decoder_shared"};  ///< where there is a decoder
}  // namespace tied_output

/// Parameters that tying saves, and with a head how many of the decoder's rows are the token table's.
void count_parameters(const Subject& subject, const std::optional<PredictionHead>& head, Numbers& numbers);
/// Operations of the output beside those of the layers.
void count_operations(const OutputCost& cost, Numbers& numbers);
/// Word pieces that two halves of the corpus share, in Q6; nothing of fewer than two texts.
void count_pieces(const Subject& subject, const Conditions& conditions, Findings& findings);

}  // namespace summand::lab
