#pragma once

#include <vector>

#include "lab/report/report.hpp"

namespace summand::lab::sample {

/// Made-up documents and claims: in two languages, long and short, measured and not.
[[nodiscard]] Ledger ledger();

[[nodiscard]] RunFacts facts();

/// Three made-up experiments, with every kind of figure, missing numbers, a gap, and text that would break a page that
/// does not escape it.
[[nodiscard]] std::vector<ExperimentResult> reports();

/// Of some of their rules: one as it stands, one that has changed since, one with nothing true planted, and one that
/// has no calibration.
[[nodiscard]] Calibration calibration();

}  // namespace summand::lab::sample
