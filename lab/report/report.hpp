#pragma once

#include <filesystem>
#include <span>

#include "lab/calibration/calibration.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/explorer/exploration.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/results/experiment_result.hpp"
#include "lab/results/run_facts.hpp"

namespace summand::lab {

enum class FigureFormat { svg, png };

/// Writes results.json: a row for every claim of the ledger, measured or not. Its texts are English.
/// @throws IoError naming the file that cannot be written
void write_results(const std::filesystem::path& folder, const RunFacts& facts,
                   std::span<const ExperimentResult> reports, const Ledger& ledger);

/// Writes index.html: one file in both languages that loads nothing, opened from disk.
/// @param exploration  without positions the page has no explorer
/// @param rules  how often the rules are right where the truth is known
/// @throws IoError naming the file that cannot be written
void write_page(const std::filesystem::path& folder, const RunFacts& facts, std::span<const ExperimentResult> reports,
                const Ledger& ledger, const Exploration& exploration = {}, const Calibration& rules = calibration());

/// Writes figures/NAME.csv, full precision, and figures/NAME.en.vl.json and NAME.zh.vl.json, Vega-Lite specifications
/// with their data; with formats also figures/NAME.svg or .png in one language, drawn by a Python that has vl-convert:
/// the one found when summand was configured, or $SUMMAND_PYTHON. Chinese takes a font of the system that has it.
/// @throws IoError naming the file that cannot be written, or the Python that cannot draw
void write_figures(const std::filesystem::path& folder, std::span<const ExperimentResult> reports,
                   std::span<const FigureFormat> formats, Language language);

}  // namespace summand::lab
