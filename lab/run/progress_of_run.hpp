#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"

namespace summand::lab {

/// Told what is under way, and how much of all is done.
struct LaboratoryProgress {
  std::string under_way;  ///< names of experiments
  LocalizedText titles;   ///< of these experiments
  size_t ended = 0;       ///< experiments
  size_t count = 0;       ///< of all
  double share = 0;       ///< of the work, from 0 to 1
  double kept = 0;        ///< so much of it was found in the folder
};

/// Gathers what experiments that run side by side tell of themselves. Every member may be called from any thread; the
/// listener is called from one at a time.
class ProgressOfRun {
 public:
  ProgressOfRun(const std::vector<const Experiment*>& list, std::function<void(const LaboratoryProgress&)> listener);

  void begin(const Experiment& experiment);
  /// @param share  of the experiment, from 0 to 1
  void go_on(const Experiment& experiment, double share);
  /// @param kept  whether it was found in the folder
  void end(const Experiment& experiment, bool kept);

 private:
  struct UnderWay {
    const Experiment* experiment = nullptr;
    double share = 0;
  };
  void tell();

  std::function<void(const LaboratoryProgress&)> listener_;
  std::mutex mutex_;
  std::vector<UnderWay> under_way_;
  LaboratoryProgress state_;
  double effort_ = 0;  ///< of all
  double ended_ = 0;   ///< effort of those that have ended
  double kept_ = 0;
};

}  // namespace summand::lab
