#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "api/base_names.hpp"
#include "cli/input.hpp"
#include "terminal/status_line.hpp"

namespace summand::cli {

/// Numbers of a progress line.
struct ProgressFigures {
  api::Progress done;
  double seconds = 0;             ///< elapsed
  std::optional<double> share{};  ///< of the input, in [0, 1]; none if its size is unknown
};

/// "48210 texts, 812 texts/s, 15300 tokens/s, 43 %, 1 min 20 s left"
[[nodiscard]] std::string progress_text(const ProgressFigures& figures);

/// A StatusLine with the progress of a run.
///
/// Thread-safety: show() may be called by several threads at once.
class ProgressLine {
 public:
  /// @param texts  the run's input; outlives this object
  explicit ProgressLine(const InputTexts& texts);

  /// @param done  zero while the run skips texts of an earlier run: the clock starts after them
  void show(const api::Progress& done);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::optional<double> share(size_t texts_done) const;

  const InputTexts& texts_;
  terminal::StatusLine line_;
  std::mutex mutex_;
  Clock::time_point begin_ = Clock::now();
  InputPlace begin_place_;
  api::Progress furthest_;
};

}  // namespace summand::cli
