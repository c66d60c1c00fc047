#include "lab/core/experiment.hpp"

namespace summand::lab {

LocalizedText gap_answer(const LocalizedText& gap) {
  return localize("core.not_measured", {{"gap", gap}});
}

Rule described_rule(const std::string& experiment, const std::string& claim, Verdict (*judge)(const Numbers& numbers),
                    const FormatArgs& bars, const Decision& decision) {
  const std::string path = experiment + ".rules." + claim;
  return {.claim = claim,
          .observation = localize(path + ".observation", bars),
          .inference = localize(path + ".inference", bars),
          .conclusion = has_text(path + ".conclusion") ? localize(path + ".conclusion", bars) : LocalizedText{},
          .decision = decision,
          .judge = judge,
          .bars = bars};
}

Experiment described_experiment(const std::string& name, const FormatArgs& settings) {
  Experiment experiment;
  experiment.name = name;
  experiment.title = localize(name + ".title", settings);
  experiment.question = localize(name + ".question", settings);
  experiment.definition = localize(name + ".definition", settings);
  experiment.source = localize(name + ".source", settings);
  experiment.null = localize(name + ".null", settings);
  experiment.control = localize(name + ".control", settings);
  return experiment;
}

}  // namespace summand::lab
