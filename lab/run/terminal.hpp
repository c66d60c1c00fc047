#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/report/report.hpp"
#include "lab/run/laboratory.hpp"

namespace summand::lab {

/// The verdicts as a table, a line per claim that was run, in the ledger's order; behind it how many were not.
[[nodiscard]] std::string summary_text(const std::vector<ExperimentResult>& reports, Language language);

/// A line per experiment: its name and its question.
[[nodiscard]] std::string list_text();
/// The same as a JSON array: name, question and claims of each.
[[nodiscard]] std::string list_json();

/// A line on standard error that tells how far the laboratory has come, gone at the end. Where standard error is no
/// terminal, nothing is written.
class LaboratoryLine {
 public:
  LaboratoryLine();
  LaboratoryLine(const LaboratoryLine&) = delete;
  LaboratoryLine& operator=(const LaboratoryLine&) = delete;
  ~LaboratoryLine();

  void show(const LaboratoryProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_terminal_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_{};
  size_t columns_written_ = 0;
};

}  // namespace summand::lab
