#pragma once

#include <cstddef>
#include <string_view>

namespace summand {

// How a program ends on Ctrl-C (SIGINT), SIGTERM or SIGHUP (terminal closed): at once, or where it checks. Only
// programs use this: it has no effect until one of the first two functions is called. Ignored signals, as under nohup,
// stay ignored.

/// From now on these signals end the process at once, with status 128 plus the signal, as in shells. This removes the
/// files of RemovedWhenInterrupted and writes one line to standard error. A later call replaces the line.
/// @param last_words  the line: what was kept, and how to go on
void end_when_interrupted(std::string_view last_words);

/// From now on only check_interruption() reacts to these signals. A second one ends the process at once.
void notice_interruptions();

/// Thrown when a run was asked to stop; not an error.
struct Interrupted {
  int signal;
};

/// @throws Interrupted after a signal. Any thread may call it.
void check_interruption();

/// Waits until there is input, or the input has ended or failed; does not wait for a regular file.
/// @throws Interrupted after a signal, once notice_interruptions() was called
void wait_for_input(int descriptor);

/// Removes a file if end_when_interrupted() ends the process while this object lives. At most 16 at a time: of more,
/// the first 16.
class RemovedWhenInterrupted {
 public:
  /// @param path  outlives this object
  explicit RemovedWhenInterrupted(const char* path);
  RemovedWhenInterrupted(const RemovedWhenInterrupted&) = delete;
  RemovedWhenInterrupted& operator=(const RemovedWhenInterrupted&) = delete;
  ~RemovedWhenInterrupted();

 private:
  size_t place_;
};

}  // namespace summand
