#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lab/experiment.hpp"
#include "lab/verdict.hpp"

namespace summand::lab {

/// One experiment, done.
struct Report {
  const Experiment* experiment = nullptr;
  Findings findings;
  std::map<std::string, Verdict> verdicts;  ///< by claim
  double seconds = 0;
};

/// What a run of the laboratory was of, for the report's head and for results.json.
struct RunFacts {
  std::string checkpoint;       ///< name for people
  std::string path;             ///< as given
  std::string checkpoint_hash;  ///< 16 hexadecimal digits
  std::vector<std::pair<std::string, std::string>> sizes;  ///< "layers" → "6", in the order shown
  std::string corpus;
  std::string corpus_hash;
  uint64_t seed = 0;
  bool quick = false;
  std::map<std::string, std::string> versions;  ///< "summand" → "0.1.0", "eigen", "xgboost", …
  std::string command;                          ///< that redoes it
};

/// Writes results.json: a row for every claim of the ledger, measured or not.
void write_results(const std::filesystem::path& folder, const RunFacts& facts, const std::vector<Report>& reports);

/// Writes index.html: one file that loads nothing, opened from disk.
/// @throws IoError naming the file that cannot be written
void write_page(const std::filesystem::path& folder, const RunFacts& facts, const std::vector<Report>& reports);

}  // namespace summand::lab
