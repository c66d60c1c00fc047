#include "cli/interruption.hpp"

#include <atomic>
#include <csignal>

namespace summand::cli {

namespace {

// A signal handler can reach nothing but what is global.
std::atomic<int> signal_caught = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void remember(int signal) {
  signal_caught = signal;
}

}  // namespace

void notice_interruptions() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = remember;
    // Without SA_RESTART: waiting for input ends too.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

void check_interruption() {
  if (const int signal = signal_caught) throw Interrupted{signal};
}

}  // namespace summand::cli
