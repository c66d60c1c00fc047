#pragma once

#include <filesystem>

#include "lab/core/experiment.hpp"
#include "lab/own_experiment/setup.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::own {

/// An experiment that a file describes: it belongs to no claim, and no verdict comes of it.
struct OwnExperiment {
  Setup setup;
  Experiment experiment;  ///< its texts; it has no run of its own: find() is it
};

/// @throws as read_setup()
[[nodiscard]] OwnExperiment read_own_experiment(const std::filesystem::path& file);

/// Before hours. @throws ConfigError if the model, or its corpus, lacks what is asked for
void check(const OwnExperiment& own, const Subject& subject);

/// Numbers without a claim: "effect" with the null's median and middle 95 % and the control, "null_limit", "items",
/// "repetitions".
[[nodiscard]] Findings find(const OwnExperiment& own, const Subject& subject, const Conditions& conditions);

/// In a sentence, whether the effect lies above the null's 97.5 %.
[[nodiscard]] LocalizedText sentence_of(const Findings& findings);

}  // namespace summand::lab::own
