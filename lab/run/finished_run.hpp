#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/report/report.hpp"
#include "lab/results/finished_run.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/subject/subject.hpp"
#include "text/input_reader.hpp"

namespace summand::lab {

/// What a run leaves beside its findings.
struct RunFiles {
  std::string command;                            ///< that redoes it
  std::vector<text::InputRecord> sentences = {};  ///< in the page's explorer besides those of the corpus
  std::vector<FigureFormat> formats = {};
  Language language = Language::en;  ///< of figures in these formats
};

/// Runs the experiments and writes results.json, the page and the figures into options.folder. Where other code found
/// what this program does not show, the earlier report stays as results.earlier.json and index.earlier.html.
/// @pre what open_folder(options.folder, subject) returned is there
/// @throws IoError naming the file that cannot be written
[[nodiscard]] FinishedRun finish_run(const Subject& subject, const LaboratoryOptions& options, const RunFiles& files,
                                     const std::function<void(const LaboratoryProgress&)>& progress);

}  // namespace summand::lab
