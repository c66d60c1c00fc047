#include "lab/core/experiment.hpp"

namespace summand::lab {

Words answer_of_gap(const Words& gap) {
  return wording("core.not_measured", {{"gap", gap}});
}

Rule described_rule(const std::string& experiment, const std::string& claim, Verdict (*judge)(const Numbers& numbers),
                    const Fills& bars, const Decision& decision) {
  const std::string path = experiment + ".rules." + claim;
  return {.claim = claim,
          .observation = wording(path + ".observation", bars),
          .inference = wording(path + ".inference", bars),
          .conclusion = has_wording(path + ".conclusion") ? wording(path + ".conclusion", bars) : Words{},
          .decision = decision,
          .judge = judge,
          .bars = bars};
}

Experiment described_experiment(const std::string& name, const Fills& settings) {
  Experiment experiment;
  experiment.name = name;
  experiment.title = wording(name + ".title", settings);
  experiment.question = wording(name + ".question", settings);
  experiment.definition = wording(name + ".definition", settings);
  experiment.source = wording(name + ".source", settings);
  experiment.null = wording(name + ".null", settings);
  experiment.control = wording(name + ".control", settings);
  return experiment;
}

}  // namespace summand::lab
