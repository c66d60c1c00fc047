#pragma once

#include <cstddef>
#include <string_view>

namespace summand {

// How a program ends on Ctrl-C (SIGINT), SIGTERM or SIGHUP (its terminal was closed): at once, or where it asks. For
// programs: nothing here happens unless one of the first two functions is called. A signal that is ignored, as under
// nohup, stays so.

/// From now on these signals end the process at once, with status 128 plus the signal, as shells say it. The files
/// named by RemovedWhenInterrupted go, and one line is written to standard error. May be called again with other words.
/// @param last_words  what was kept, and how to go on
void end_when_interrupted(std::string_view last_words);

/// From now on these signals are noticed by check_interruption() alone. A second one ends the process at once.
void notice_interruptions();

/// Thrown where a run was asked to stop. No error: nothing was wrong.
struct Interrupted {
  int signal;
};

/// @throws Interrupted once a signal has come. May be called by any thread.
void check_interruption();

/// Returns once there is something to read, or the input has ended or cannot be read; a regular file never waits.
/// @throws Interrupted if a signal comes, or came before, that notice_interruptions() notices
void wait_for_input(int descriptor);

/// A file that goes if end_when_interrupted() ends the process while this object lives. Of more than 16 at a time the
/// first ones go.
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
