#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace summand::terminal {

/// A line on standard error, rewritten a few times a second and gone at the end. Where standard error is no terminal,
/// nothing is written.
class StatusLine {
 public:
  StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { clear(); }

  [[nodiscard]] bool is_terminal() const { return is_terminal_; }
  /// Whether it is time for another text; if so, the next time is counted from now.
  [[nodiscard]] bool is_due();
  /// Begins to wait anew.
  void postpone() { last_ = Clock::now(); }
  /// @param text  behind "summand: "; what is longer than the terminal is wide is cut
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_terminal_;
  Clock::time_point last_ = Clock::now();
  size_t columns_written_ = 0;
};

}  // namespace summand::terminal
