#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace summand::terminal {

/// A status line on standard error, updated a few times a second and erased at the end. Writes nothing if standard
/// error is not a terminal.
class StatusLine {
 public:
  StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { clear(); }

  [[nodiscard]] bool is_terminal() const { return is_terminal_; }
  /// Whether it is time for an update; if so, restarts the interval.
  [[nodiscard]] bool is_due();
  /// Restarts the interval.
  void postpone() { last_ = Clock::now(); }
  /// @param text  shown after "summand: ", cut to the terminal's width
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_terminal_;
  Clock::time_point last_ = Clock::now();
  size_t columns_written_ = 0;
};

}  // namespace summand::terminal
