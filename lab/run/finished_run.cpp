#include "lab/run/finished_run.hpp"

#include "lab/explorer/explore.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/run/facts_of_run.hpp"
#include "lab/run/not_shown.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

FinishedRun finish_run(const Subject& subject, const LaboratoryOptions& options, const RunFiles& files,
                       const std::function<void(const LaboratoryProgress&)>& progress) {
  const auto exploration = explore(subject, files.sentences, options.threads);  // its errors before hours
  FinishedRun run;
  run.reports = run_laboratory(subject, options, progress);
  run.facts = facts_of(subject, options, files.command);
  const Ledger whole{.documents = documents(), .claims = ledger()};
  write_results(options.folder, run.facts, run.reports, whole);
  write_page(options.folder, run.facts, run.reports, whole, exploration);
  write_figures(options.folder, run.reports, files.formats, files.language);
  run.not_shown = not_shown(subject, options, run.reports);
  return run;
}

}  // namespace summand::lab
