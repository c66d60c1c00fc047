#pragma once

#include <span>
#include <vector>

#include "lab/ledger/ledger.hpp"
#include "lab/results/experiment_result.hpp"

namespace summand::lab {

/// A claim of the ledger and what a run says of it.
struct Outcome {
  const Claim* claim = nullptr;
  const ExperimentResult* report = nullptr;  ///< null where no experiment of this run has the claim
  const Rule* rule = nullptr;                ///< null with the report
  const Numbers* numbers = nullptr;          ///< null where nothing was measured
  Verdict verdict;                           ///< not measured: with the reason why not
  Truth truth = Truth::open;                 ///< of what the document concludes
  const Claim* told_by = nullptr;            ///< the claim whose observation tells that; null where none does
  LocalizedText needs = {};                  ///< "needs 3.3: not run", where told_by has no observation in this run
  LocalizedText extent = {};                 ///< how far it is true, where not without limit: "up to layer 4 of 6"

  /// The number that decided the observation, which a line shows with it. Null where nothing was measured.
  [[nodiscard]] const Number* number() const;
};

/// One for each claim, in the ledger's order.
[[nodiscard]] std::vector<Outcome> outcomes(std::span<const ExperimentResult> reports, std::span<const Claim> claims);

}  // namespace summand::lab
