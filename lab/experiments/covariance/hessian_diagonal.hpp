#pragma once

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// The number that says which share of H's energy lies on its diagonal.
inline constexpr NumberName kHessianShare{"covariance", "h_diagonal_share"};

/// Adds to claim 4.6 how the diagonal of H stands out: of the model's own mixed second derivatives between two tokens,
/// on sampled coordinates, and of the bilinear form of the first layer's logits, head by head. Adds nothing where there
/// is no sum to derive by.
void measure_hessian_diagonal(const Subject& subject, const Conditions& conditions, Findings& findings);

}  // namespace summand::lab
