#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/tasks/task.hpp"

namespace summand::train {

/// Kullback–Leibler divergence from p to q, nats. @param q  nowhere 0 where p is not
[[nodiscard]] double divergence(std::span<const double> p, std::span<const double> q);

/// What each asked answer depends on most, [asked]: the hidden thing whose reader is furthest from the posterior, or
/// "none". Source: docs/study-tasks.md, "combined"
[[nodiscard]] std::vector<std::string> strata(const Matrix<double>& posterior, const HiddenPosteriors& hidden);

}  // namespace summand::train
