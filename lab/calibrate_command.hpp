#pragma once

#include <string>

#include "lab/calibrate/calibrate.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace summand::lab {

/// What `summand lab calibrate` was asked with.
struct CalibrateCommand {
  CalibrateOptions options;
  std::string language = "en";
};

/// @param command  filled by parsing; outlives the program's parsing
CLI::App* add_calibrate_command(CLI::App& program, CalibrateCommand& command);

/// Runs it, with a line of progress on a terminal. @return the table that is printed
/// @throws UsageError, IoError as write_calibration()
[[nodiscard]] std::string run_calibrate_command(const CalibrateCommand& command);

}  // namespace summand::lab
