#pragma once

#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/verdict.hpp"
#include "lab/experiments/toeplitz/toeplitz_measured.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::toeplitz {

/// What 4.5 says of a learned table under the model's own H.

/// Adds what was measured, or that it was not, what it is of, and what a quick run left out.
void add_measured(const std::optional<MeasuredShares>& measured, const Subject& subject, const Conditions& conditions,
                  Findings& findings);

/// @return nothing where there was no model
[[nodiscard]] std::optional<Inference> inference_of_model(const Numbers& numbers);

/// A part of the reason and of the answer. No words where H was not taken; without a model the answer says so.
[[nodiscard]] LocalizedText reason_of_measured(const Numbers& numbers);
[[nodiscard]] LocalizedText answer_of_measured(const Numbers& numbers);

/// What the texts say of the constants.
[[nodiscard]] FormatArgs measured_settings();

}  // namespace summand::lab::toeplitz
