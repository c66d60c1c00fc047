#pragma once

namespace summand::cli {

/// Thrown where a run was asked to stop by Ctrl-C or SIGTERM. No error: nothing was wrong.
struct Interrupted {
  int signal;
};

/// From now on SIGINT and SIGTERM are noticed by check_interruption(). A second one ends the process at once. A signal
/// that is ignored, as under nohup, stays so.
void notice_interruptions();

/// @throws Interrupted once a signal has come. May be called by any thread.
void check_interruption();

}  // namespace summand::cli
