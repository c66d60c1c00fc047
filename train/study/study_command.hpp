#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace summand::train {

/// The options of `summand study`.
struct StudyCommand {
  std::string plan;
  std::filesystem::path out;
  std::string only;
  std::string dump;
  bool tiny = false, list_runs = false, resume = false, quick = false, report_only = false;
  uint64_t seed = 1;
  size_t sequences = 4;
  int jobs = 2;
};

CLI::App* add_study_command(CLI::App& program, StudyCommand& command);

/// @return the exit status
int run_study_command(StudyCommand& command);

}  // namespace summand::train
