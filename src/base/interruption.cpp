#include "base/interruption.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <deque>
#include <mutex>
#include <string>

#include "base/platform.hpp"

namespace summand {

namespace {

// A signal handler can only use globals, and only call the functions of signal-safety(7).
std::atomic<int> signal_caught = 0;
std::array<int, 2> wake{-1, -1};  // a pipe with a byte in it once a signal has come; made before any handler is
std::atomic<const std::string*> words = nullptr;
std::array<std::atomic<const char*>, 16> files_to_remove{};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

void remember(int signal) {
  signal_caught = signal;
  const char byte = 0;
  if (::write(wake[1], &byte, 1) < 0) return;  // nothing can be done about it
}

void end_at_once(int signal) {
  for (const auto& file : files_to_remove) {
    if (const char* path = file) ::unlink(path);
  }
  if (const std::string* text = words) {
    const char* rest = text->data();
    size_t size = text->size();
    for (ssize_t written = 1; size > 0 && written > 0; rest += written, size -= static_cast<size_t>(written)) {
      written = ::write(STDERR_FILENO, rest, size);
      if (written < 0) break;
    }
  }
  constexpr int kSignalled = 128;
  ::_exit(kSignalled + signal);
}

void handle_with(void (*handler)(int), int flags) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void end_when_interrupted(std::string_view last_words) {
  static std::mutex mutex;
  static std::deque<std::string> all;  // none ever goes: a handler may be reading it
  const std::lock_guard lock(mutex);
  // A terminal has shown "^C", and perhaps a line of progress.
  const char* begin = ::isatty(STDERR_FILENO) == 1 ? "\n" : "";
  words = &all.emplace_back(begin + ("summand: " + std::string(last_words)) + "\n");
  handle_with(end_at_once, 0);
}

void notice_interruptions() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (open_waking_pipe(wake) != 0) wake = {-1, -1};
  });
  // Without SA_RESTART: waiting ends too.
  handle_with(remember, static_cast<int>(SA_RESETHAND));
}

void check_interruption() {
  if (const int signal = signal_caught) throw Interrupted{signal};
}

void wait_for_input(int descriptor) {
  constexpr short kNothing = 0;
  std::array<pollfd, 2> waited{pollfd{descriptor, POLLIN, kNothing}, pollfd{wake[0], POLLIN, kNothing}};
  while (::poll(waited.data(), waited.size(), /*timeout=*/-1) < 0 && errno == EINTR) check_interruption();
  check_interruption();
}

RemovedWhenInterrupted::RemovedWhenInterrupted(const char* path) : place_(0) {
  for (; place_ < files_to_remove.size(); ++place_) {
    const char* nothing = nullptr;
    if (files_to_remove[place_].compare_exchange_strong(nothing, path)) return;
  }
}

RemovedWhenInterrupted::~RemovedWhenInterrupted() {
  if (place_ < files_to_remove.size()) files_to_remove[place_] = nullptr;
}

}  // namespace summand
