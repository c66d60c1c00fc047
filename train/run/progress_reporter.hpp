#pragma once

#include <cstdint>

#include "terminal/status_line.hpp"
#include "train/run/run.hpp"

namespace summand::train {

/// Tells a run on the terminal: a line that is rewritten, and a line for each validation.
class ProgressReporter {
 public:
  void tell(const RunNews& news);
  void clear() { line_.clear(); }

 private:
  terminal::StatusLine line_;
};

/// What a run that was interrupted or stopped early says, on standard error or output.
/// @param out  the run's folder
/// @param goal  "lower loss"
/// @return the exit status of an interrupted run; 0 of others
int tell_ending(const RunReport& report, const std::filesystem::path& out, const std::string& goal);

}  // namespace summand::train
