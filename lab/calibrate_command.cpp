#include "lab/calibrate_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "api/base_names.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "lab/calibrate/kept_counts.hpp"
#include "lab/calibration/calibration_file.hpp"
#include "lab/run/laboratory.hpp"
#include "terminal/option_validators.hpp"

namespace summand::lab {

namespace {

/// The claims that this command planted truths for.
std::vector<std::string> measured_claims(const Calibration& made, const CalibrateOptions& options) {
  std::vector<std::string> claims;
  for (const Experiment* experiment : chosen(options.only)) {
    for (const auto& claim : made.claims) {
      if (claim.experiment == experiment->name) claims.push_back(claim.claim);
    }
  }
  return claims;
}

}  // namespace

CLI::App* add_calibrate_command(CLI::App& program, CalibrateCommand& command) {
  auto* verb = program.add_subcommand("calibrate",
                                      "Judge planted truths and count how often the rules are right\n"
                                      "Example: summand lab calibrate -o calibration --quick --only norms");
  auto& options = command.options;
  verb->add_option("-o,--output", options.folder,
                   "Folder for calibration.json and finished families: new, empty, or an earlier calibration's");
  verb->add_option("--only", options.only,
                   "Try the claims of these experiments only, by name, separated by commas; the others stay as this "
                   "build has them")
      ->delimiter(',');
  verb->add_flag("--quick", options.quick,
                 "Judge ten truths of each family by quick draws; counts by full draws stay as this build has them");
  verb->add_option("--seed", options.seed, "Seed of every random draw (default: 0)")->check(terminal::whole_number(0));
  verb->add_option("--threads", options.threads, "Threads; 0, the default: as many as quota and affinity allow")
      ->check(terminal::whole_number(0, 1024));
  verb->add_option("--language", command.language, "Language of the printed table: en, zh (default: en)")
      ->check(terminal::one_of({"en", "zh"}));
  return verb;
}

std::string run_calibrate_command(const CalibrateCommand& command) {
  const auto& options = command.options;
  if (options.folder.empty()) throw api::UsageError("--output", "expected a folder to write to, got none");
  end_when_interrupted(fmt::format(
      "interrupted; families of truths that were finished, if any, are kept in {}/truths; the same command goes on",
      path_text(options.folder)));
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  size_t columns = 0;
  const auto show = [&](const CalibrateProgress& progress) {
    if (!is_terminal) return;
    const std::string line =
        fmt::format("{}, {}: {} of {} truths", progress.experiment, progress.family, progress.done, progress.of);
    std::fprintf(stderr, "\r%-*s", static_cast<int>(columns), line.c_str());
    columns = line.size();
  };
  const Calibration made = write_calibration(options, show);
  if (columns > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(columns), "");
  const Language language = command.language == "zh" ? Language::zh : Language::en;
  const LocalizedText counts = words_of_counts(made, calibration(), measured_claims(made, options), options.quick);
  return calibration_table(made, language) +
         fmt::format("\n{}\ncalibration: {}\n", in(language, counts), path_text(options.folder / "calibration.json"));
}

}  // namespace summand::lab
