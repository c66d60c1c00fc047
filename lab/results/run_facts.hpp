#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/core/localized_text.hpp"

namespace summand::lab {

/// A size of the model or of its tables.
struct RunSize {
  std::string name;  ///< in results.json: "layers"
  LocalizedText words;
  std::string value;
};

/// What a run of the laboratory was of, for the report's head and for results.json.
struct RunFacts {
  std::string checkpoint;       ///< name for people
  std::string path;             ///< as given
  std::string checkpoint_hash;  ///< 16 hexadecimal digits
  std::vector<RunSize> sizes;   ///< in the order shown
  LocalizedText corpus;
  LocalizedText corpus_warning = {};  ///< where the vocabulary does not cover it; empty where it does
  std::string corpus_hash;
  uint64_t seed = 0;
  bool quick = false;
  std::map<std::string, std::string> versions;            ///< "summand" → "0.1.0", "eigen", "xgboost", …
  std::string command;                                    ///< that redoes it
  std::map<std::string, std::string> experiment_of = {};  ///< claim → the experiment that judges it, in this run or not
};

}  // namespace summand::lab
