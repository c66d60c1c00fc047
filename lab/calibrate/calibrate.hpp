#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lab/calibrate/planting.hpp"
#include "lab/calibration/calibration.hpp"
#include "lab/core/experiment.hpp"

namespace summand::lab {

struct CalibrateOptions {
  std::filesystem::path folder;   ///< where calibration.json goes, and what was finished on the way
  std::vector<std::string> only;  ///< names of experiments; none: all
  bool quick = false;             ///< ten truths of each family, by the draws of quick runs alone
  uint64_t seed = 0;
  int threads = 0;  ///< 0: what quota and affinity allow
};

/// Told what is under way.
struct CalibrateProgress {
  std::string experiment;
  std::string family;
  size_t done = 0;  ///< truths, of all
  size_t of = 0;
};

/// How many truths of a family are judged.
struct TruthCounts {
  size_t quick = 0;         ///< by quick draws
  size_t full = 0;          ///< by full draws
  size_t seeded_quick = 0;  ///< of them, under ten seeds
  size_t seeded_full = 0;

  [[nodiscard]] size_t most() const { return quick > full ? quick : full; }
};
/// Fewer of experiments that take long: docs/decisions/calibration.md has the times.
[[nodiscard]] TruthCounts truth_counts(const std::string& experiment, bool quick);

/// What one planted truth came to, claim by claim.
struct JudgedTruth {
  struct Trial {
    Observation observation = Observation::not_measured;
    std::vector<double> number = {};  ///< the deciding one; empty where it was not measured
  };
  std::vector<Trial> quick = {};  ///< [claims]; empty where quick draws were not asked for
  std::vector<Trial> full = {};
  std::vector<bool> stable_quick = {};  ///< [claims]; empty where no other seeds were tried
  std::vector<bool> stable_full = {};
};

/// Counts and quantiles of a family's truths, of one of its claims.
/// @param claim  its place in the trials
[[nodiscard]] CalibratedFamily counted(const Planting& planting, const std::string& size, bool is_true, size_t claim,
                                       const std::vector<JudgedTruth>& truths);

/// Plants truths and judges them. What an earlier call in the folder finished of the same program, seed and counts is
/// taken from there. Claims of experiments that are not among options.only are those of this build's calibration, and
/// so are a quick call's counts by full draws where the rule and the truths are still the same.
/// @throws UsageError for an experiment that there is not, a folder with other files, or one of another seed; IoError
/// for a folder that cannot be written
[[nodiscard]] Calibration calibrate(const CalibrateOptions& options,
                                    const std::function<void(const CalibrateProgress&)>& progress);

/// calibrate(), and calibration.json in the folder, whole or not at all.
Calibration write_calibration(const CalibrateOptions& options,
                              const std::function<void(const CalibrateProgress&)>& progress);

}  // namespace summand::lab
