#pragma once

#include <map>
#include <string>
#include <utility>

#include "lab/core/experiment.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/statistics/surrogates.hpp"

/// Position tables alone as subjects, and what experiments find and judge of them.
namespace planted {

inline summand::lab::Subject subject_of(summand::lab::Table positions) {
  summand::lab::Subject subject;
  subject.name = "planted";
  subject.positions = std::move(positions);
  return subject;
}

struct Outcome {
  summand::lab::Findings findings;
  std::map<std::string, summand::lab::Verdict> verdicts;

  [[nodiscard]] summand::lab::Observation observation(const std::string& claim) const {
    return verdicts.at(claim).observation;
  }
  [[nodiscard]] summand::lab::Inference inference(const std::string& claim) const {
    return verdicts.at(claim).inference;
  }
  [[nodiscard]] double value(const std::string& claim, const std::string& name) const {
    return findings.numbers.at(claim).value(name);
  }
};

inline Outcome outcome_of(const summand::lab::Experiment& experiment, const summand::lab::Subject& subject,
                          const summand::lab::Conditions& conditions) {
  Outcome outcome;
  outcome.findings = experiment.run(subject, conditions);
  outcome.verdicts = verdicts_of(experiment, outcome.findings);
  return outcome;
}

inline Outcome outcome_of(const summand::lab::Experiment& experiment, const summand::lab::Subject& subject,
                          int threads = 2) {
  return outcome_of(experiment, subject, {.seed = 5, .quick = true, .threads = threads});
}

inline summand::lab::Table sine(size_t rows, size_t columns, double base = 10000) {
  return summand::lab::sinusoid({rows, columns}, base);
}

}  // namespace planted
