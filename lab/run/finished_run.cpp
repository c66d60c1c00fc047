#include "lab/run/finished_run.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lab/explorer/explore.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/run/facts_of_run.hpp"
#include "lab/run/not_shown.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {
namespace {

/// What other code found, this program cannot show again: the report that shows it stays, under another name.
void keep_earlier_report(const std::filesystem::path& folder) {
  for (const auto& [name, kept] :
       {std::pair{"results.json", "results.earlier.json"}, std::pair{"index.html", "index.earlier.html"}}) {
    std::error_code failed;  // then there is none to keep
    if (!std::filesystem::exists(folder / kept, failed)) std::filesystem::rename(folder / name, folder / kept, failed);
  }
}

}  // namespace

FinishedRun finish_run(const Subject& subject, const LaboratoryOptions& options, const RunFiles& files,
                       const std::function<void(const LaboratoryProgress&)>& progress) {
  const auto exploration = explore(subject, files.sentences, options.threads);  // its errors before hours
  FinishedRun run;
  run.reports = run_laboratory(subject, options, progress);
  run.facts = facts_of(subject, options, files.command);
  const Ledger whole{.documents = documents(), .claims = ledger()};
  run.not_shown = not_shown(subject, options, run.reports);
  if (std::ranges::any_of(run.not_shown, &NotShown::by_other_code)) keep_earlier_report(options.folder);
  write_results(options.folder, run.facts, run.reports, whole);
  write_page(options.folder, run.facts, run.reports, whole, exploration);
  write_figures(options.folder, run.reports, files.formats, files.language);
  return run;
}

}  // namespace summand::lab
