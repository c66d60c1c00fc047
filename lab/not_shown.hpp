#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lab/laboratory.hpp"
#include "lab/report/report.hpp"
#include "lab/subject.hpp"

namespace summand::lab {

/// Experiments that an earlier run left in a report's folder, that the report lacks, and that ran otherwise than it.
struct NotShown {
  std::string options;  ///< with which they are shown: "without --quick"; empty: another build of summand ran them
  size_t experiments = 0;
};

/// What the folder keeps of experiments that are in none of the reports, the most first. An experiment that ran under
/// several other settings is in several.
[[nodiscard]] std::vector<NotShown> not_shown(const Subject& subject, const LaboratoryOptions& options,
                                              std::span<const Report> reports);

/// One line of it; nothing where all is shown.
[[nodiscard]] std::string not_shown_text(const std::filesystem::path& folder, std::span<const NotShown> kept);

}  // namespace summand::lab
