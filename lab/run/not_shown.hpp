#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/results/finished_run.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// What the folder keeps of experiments that are in none of the reports, the most first. An experiment that ran under
/// several other settings is in several.
[[nodiscard]] std::vector<NotShown> not_shown(const Subject& subject, const LaboratoryOptions& options,
                                              std::span<const ExperimentResult> reports);

/// One line of it, and one of experiments from files; nothing where all is shown.
[[nodiscard]] LocalizedText not_shown_words(const std::filesystem::path& folder, std::span<const NotShown> all);

}  // namespace summand::lab
