#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "io/file_descriptor.hpp"
#include "train/run/learner.hpp"

namespace summand::train {

inline constexpr size_t kLongestMetrics = size_t{1} << 30;  ///< bytes of metrics.jsonl that are read

/// Sums over the steps since the last line of metrics.
struct Interval {
  Sums sums;
  uint64_t tokens = 0;
  int64_t steps = 0;
  double gradient_norm = 0;  ///< summed over steps, and so below
  std::map<std::string, double> part_norms;
  double seconds = 0;

  void add(const StepResult& step, double step_seconds);
};

/// A line of metrics.jsonl about the training.
[[nodiscard]] std::string training_line(const Interval& interval, const Progress& progress, const LearningTask& task,
                                        double learning_rate);
/// A line about a validation.
[[nodiscard]] std::string validation_line(const Validation& validation, int64_t step);

/// A run's metrics.jsonl: lines are appended; a run resumed from a checkpoint drops the lines written after it.
class MetricsFile {
 public:
  /// @param keep_bytes  to keep of an existing file; of a shorter file, its complete lines: bytes()
  /// @throws IoError if it cannot be written
  MetricsFile(std::filesystem::path path, uint64_t keep_bytes);

  /// Appends a line and writes it to the file.
  void append(const std::string& line);
  /// Flushes it to disk.
  void bring_to_disk();
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  [[noreturn]] void fail(int error_number) const;

  std::filesystem::path path_;
  io::FileDescriptor file_;
  uint64_t bytes_ = 0;
};

}  // namespace summand::train
