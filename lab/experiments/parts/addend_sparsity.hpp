#pragma once

#include "lab/experiment.hpp"
#include "lab/experiments/input_parts.hpp"
#include "lab/subject.hpp"

namespace summand::lab {

/// 0.10: is a sum less sparse than its three rows side by side? A gap without a corpus.
void measure_sparsity(const Subject& subject, const CorpusItems& corpus, const Conditions& conditions,
                      Findings& findings);

}  // namespace summand::lab
