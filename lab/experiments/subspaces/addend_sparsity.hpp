#pragma once

#include "lab/core/experiment.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// 0.10: is a sum less sparse than its three rows side by side? A gap without a corpus.
void measure_sparsity(const Subject& subject, const InputParts& parts, const Conditions& conditions,
                      Findings& findings);

}  // namespace summand::lab
