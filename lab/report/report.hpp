#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lab/experiment.hpp"
#include "lab/explorer/exploration.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/verdict.hpp"
#include "lab/words.hpp"

namespace summand::lab {

/// One experiment, done.
struct Report {
  const Experiment* experiment = nullptr;
  Findings findings;
  std::map<std::string, Verdict> verdicts;  ///< by claim
  double seconds = 0;
};

/// A size of the model or of its tables.
struct RunSize {
  std::string name;  ///< in results.json: "layers"
  Words words;
  std::string value;
};

/// What a run of the laboratory was of, for the report's head and for results.json.
struct RunFacts {
  std::string checkpoint;       ///< name for people
  std::string path;             ///< as given
  std::string checkpoint_hash;  ///< 16 hexadecimal digits
  std::vector<RunSize> sizes;   ///< in the order shown
  Words corpus;
  std::string corpus_hash;
  uint64_t seed = 0;
  bool quick = false;
  std::map<std::string, std::string> versions;  ///< "summand" → "0.1.0", "eigen", "xgboost", …
  std::string command;                          ///< that redoes it
};

/// What the report sets the experiments against: documents() and ledger().
struct Ledger {
  std::span<const Document> documents;
  std::span<const Claim> claims;
};

enum class FigureFormat { svg, png };

/// Writes results.json: a row for every claim of the ledger, measured or not. Its texts are English.
/// @throws IoError naming the file that cannot be written
void write_results(const std::filesystem::path& folder, const RunFacts& facts, std::span<const Report> reports,
                   const Ledger& ledger);

/// Writes index.html: one file in both languages that loads nothing, opened from disk.
/// @param exploration  without positions the page has no explorer
/// @throws IoError naming the file that cannot be written
void write_page(const std::filesystem::path& folder, const RunFacts& facts, std::span<const Report> reports,
                const Ledger& ledger, const Exploration& exploration = {});

/// Writes figures/NAME.csv, full precision, and figures/NAME.en.vl.json and NAME.zh.vl.json, Vega-Lite specifications
/// with their data; with formats also figures/NAME.svg or .png in one language, drawn by a Python that has vl-convert:
/// the one found when summand was configured, or $SUMMAND_PYTHON. Chinese takes a font of the system that has it.
/// @throws IoError naming the file that cannot be written, or the Python that cannot draw
void write_figures(const std::filesystem::path& folder, std::span<const Report> reports,
                   std::span<const FigureFormat> formats, Language language);

}  // namespace summand::lab
