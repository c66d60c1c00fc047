#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/study/study_plan.hpp"
#include "train/study/study_rows.hpp"

namespace summand::train {

/// What a study found: verdicts.json, figures/*.svg and index.html, from the plan and the rows alone. Rows of runs that
/// the plan lacks are ignored.
/// @return a line for each comparison, for a terminal
/// @throws IoError naming the file that cannot be written
std::string write_study_report(const StudyPlan& plan, const std::vector<StudyRow>& rows,
                               const std::filesystem::path& folder);

}  // namespace summand::train
