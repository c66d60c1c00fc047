#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/matrix.hpp"
#include "lab/core/experiment.hpp"
#include "lab/experiments/probes/probe_tasks.hpp"
#include "lab/subject/subject.hpp"

// What is left of a part, and of the output, when a hidden state is changed so that no line reads the part.
namespace summand::lab {

/// One part erased at one place.
struct ErasedPart {
  std::vector<bool> right;      ///< of each test row of its probe, fitted anew on what is left
  std::vector<double> changes;  ///< [texts], 1 − cosine of the sentence vector with the undisturbed one
  std::vector<double> null;     ///< the same, the part's labels dealt at random before
};

/// All parts at one place, one after the other.
struct ErasedPlace {
  size_t layer = 0;  ///< behind how many layers
  std::array<ErasedPart, kProbedParts> parts;
  std::vector<double> everything;  ///< [texts], every state its mean
};

/// What is erased, and what is run on from there.
struct Erasures {
  const Subject& subject;
  const ProbeTexts& texts;
  const std::vector<Matrix<float>>& states;  ///< of every layer, of all texts
  const ProbeTasks& tasks;
  size_t parts = kProbedParts;  ///< the first of them
  size_t few = 0;               ///< of the texts, those that are run on
};

/// Erases at the input and behind the middle layer; ordinary tokens' states alone. Fitted on each probe's training
/// rows.
[[nodiscard]] std::vector<ErasedPlace> erased_places(const Erasures& of, const Conditions& conditions);

}  // namespace summand::lab
