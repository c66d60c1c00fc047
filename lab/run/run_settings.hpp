#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lab/core/experiment.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/own_experiment/own_experiment.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

struct LaboratoryOptions;

/// What a run is asked with that its numbers depend on. A report shows the experiments of one setting; those of others
/// lie in files of their own beside them.
struct RunSettings {
  bool quick = false;
  uint64_t seed = 0;
  std::string corpus;  ///< what --corpus takes for it; empty: the checkpoint's default, or no texts with a table alone
  uint64_t corpus_hash = 0;  ///< of its texts; 0 without any
};

[[nodiscard]] RunSettings settings_of(const Subject& subject, const LaboratoryOptions& options);

/// A hash of all that an experiment's findings depend on: its sources and those that all experiments share, the
/// compiler and the instructions in use, the subject, its corpus, the seed. What only draws the page is not among them.
[[nodiscard]] uint64_t cache_key(const Experiment& experiment, const Subject& subject, const RunSettings& settings);

/// The same of an experiment from a file, whose content counts too.
[[nodiscard]] uint64_t cache_key(const own::OwnExperiment& own, const Subject& subject, const RunSettings& settings);

/// Where the folder of a report keeps an experiment's findings: "experiments/norms.quick.cbor".
[[nodiscard]] std::filesystem::path findings_path(const std::filesystem::path& folder, const Experiment& experiment,
                                                  const RunSettings& settings);

/// The folder of those files, in that of a report.
[[nodiscard]] std::filesystem::path findings_folder(const std::filesystem::path& folder);

/// In options, how to ask for some settings where one asked for others: "without --quick and with --seed 5". Empty if
/// they are the same.
[[nodiscard]] LocalizedText options_towards(const RunSettings& wanted, const RunSettings& asked);

}  // namespace summand::lab
