#include "terminal/status_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace summand::terminal {

namespace {

constexpr std::chrono::milliseconds kBetween{250};

size_t terminal_columns() {
  struct winsize size {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

StatusLine::StatusLine() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

bool StatusLine::is_due() {
  if (!is_terminal_) return false;
  const auto now = Clock::now();
  if (now - last_ < kBetween) return false;
  last_ = now;
  return true;
}

void StatusLine::show(const std::string& text) {
  if (!is_terminal_) return;
  const std::string shown = ("summand: " + text).substr(0, terminal_columns() - 1);  // a full line would wrap
  std::fputs(fmt::format("\r{:<{}}", shown, columns_written_).c_str(), stderr);
  std::fflush(stderr);
  columns_written_ = shown.size();
}

void StatusLine::clear() {
  if (columns_written_ > 0) std::fputs(fmt::format("\r{:{}}\r", "", columns_written_).c_str(), stderr);
  columns_written_ = 0;
}

}  // namespace summand::terminal
