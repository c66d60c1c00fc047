#pragma once

#include <map>
#include <string>

#include "lab/core/experiment.hpp"
#include "lab/core/verdict.hpp"

namespace summand::lab {

/// One experiment, done.
struct ExperimentResult {
  const Experiment* experiment = nullptr;
  Findings findings;
  std::map<std::string, Verdict> verdicts;  ///< by claim
  double seconds = 0;
};

}  // namespace summand::lab
