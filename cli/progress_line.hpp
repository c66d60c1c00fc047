#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "api/program/progress.hpp"
#include "cli/input.hpp"
#include "terminal/status_line.hpp"

namespace summand::cli {

/// What a progress line shows.
struct ProgressFigures {
  api::Progress done;
  double seconds = 0;             ///< that it took
  std::optional<double> share{};  ///< of the input, in [0, 1]; none where its size is not known
};

/// "48210 texts, 812 texts/s, 15300 tokens/s, 43 %, 1 min 20 s left"
[[nodiscard]] std::string progress_text(const ProgressFigures& figures);

/// A StatusLine that tells how far a run has come.
///
/// Thread-safety: show() may be called by several threads at once.
class ProgressLine {
 public:
  /// @param texts  where the run reads from; outlives this object
  explicit ProgressLine(const InputTexts& texts);

  /// @param done  nothing while the run passes over texts that were there already: the clock starts after them
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
