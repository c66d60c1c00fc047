#include "lab/calibrate_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "api/error.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "cli/whole_number.hpp"
#include "lab/calibration/calibration_file.hpp"
#include "lab/core/wording.hpp"
#include "lab/run/laboratory.hpp"

namespace summand::lab {

namespace {

/// Which rows of the table are of this command; the others are those of the build.
Words measured_words(const Calibration& made, const CalibrateOptions& options) {
  if (options.only.empty()) return wording("calibration.table.measured_all");
  std::vector<std::string> claims;
  for (const Experiment* experiment : chosen(options.only)) {
    for (const auto& claim : made.claims) {
      if (claim.experiment == experiment->name) claims.push_back(claim.claim);
    }
  }
  if (claims.empty()) return wording("calibration.table.measured_none");
  return wording("calibration.table.measured", {{"claims", fmt::format("{}", fmt::join(claims, ", "))}});
}

}  // namespace

CLI::App* add_calibrate_command(CLI::App& program, CalibrateCommand& command) {
  auto* verb = program.add_subcommand("calibrate",
                                      "judge planted truths, and count how often the rules are right\n"
                                      "Example: summand lab calibrate -o calibration --quick --only norms");
  auto& options = command.options;
  verb->add_option("-o,--output", options.folder, "folder of calibration.json, and of what was finished on the way");
  verb->add_option("--only", options.only,
                   "these experiments alone, by name; the others' claims stay as this build has them")
      ->delimiter(',');
  verb->add_flag("--quick", options.quick, "ten truths of each family, by quick draws alone");
  verb->add_option("--seed", options.seed, "of every random draw (default: 0)")->check(cli::whole_number(0));
  verb->add_option("--threads", options.threads, "at most this many; 0, the default: what quota and affinity allow")
      ->check(cli::whole_number(0, 1024));
  verb->add_option("--language", command.language, "of the table printed: en, zh (default: en)")
      ->check(CLI::IsMember({"en", "zh"}));
  return verb;
}

std::string run_calibrate_command(const CalibrateCommand& command) {
  const auto& options = command.options;
  if (options.folder.empty()) throw api::UsageError("--output", "expected a folder to write to, got none");
  end_when_interrupted(fmt::format("interrupted; families that were finished are kept in {}; the same command goes on",
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
  return calibration_table(made, language) + fmt::format("\n{}\ncalibration: {}\n",
                                                         in(language, measured_words(made, options)),
                                                         path_text(options.folder / "calibration.json"));
}

}  // namespace summand::lab
