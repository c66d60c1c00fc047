#include "python/binding/gil.hpp"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace summand::python {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1};
constexpr int kLooks = 1000;

std::atomic<bool> is_ending{false};
std::atomic<int> inside{0};     // threads inside a call
std::atomic<int> computing{0};  // those of them that are without the GIL

[[noreturn]] void wait_for_the_end() {
  while (true) ::pause();
}

bool is_left_behind() {
  return is_ending.load() && !is_main_thread();
}

/// Runs what takes the GIL. The interpreter may have begun to end while it waited for it.
template <class Take>
auto taking_gil(const Take& take) {
  if (is_left_behind()) wait_for_the_end();
  try {
    return take();
  } catch (const abi::__forced_unwind&) {
    wait_for_the_end();
  }
}

/// As the interpreter begins to end, with the GIL: lets threads inside calls come to where they wait, or out.
void end_of_interpreter() {
  is_ending.store(true);
  for (int look = 0; look < kLooks && inside.load() > computing.load(); ++look) {
    PyThreadState* const state = PyEval_SaveThread();
    std::this_thread::sleep_for(kBetweenLooks);
    PyEval_RestoreThread(state);
  }
}

void flush(FILE* file) {
  if (::ftrylockfile(file) != 0) return;
  std::fflush(file);
  ::funlockfile(file);
}

/// What threads compute with must not be destroyed under them: the process leaves as it is.
[[maybe_unused]] void end_of_process(int status, void* /*unused*/) {
  if (computing.load() <= 0) return;
  flush(stdout);
  flush(stderr);
  ::_exit(status);
}

/// The other threads are not there.
void forget_in_child() {
  inside.store(0);
  computing.store(0);
}

}  // namespace

InsideCall::InsideCall() {
  if (is_left_behind()) {
    PyEval_SaveThread();
    wait_for_the_end();
  }
  inside.fetch_add(1);
}

InsideCall::~InsideCall() {
  inside.fetch_sub(1);
}

WithoutGil::WithoutGil() : state_(PyEval_SaveThread()) {
  computing.fetch_add(1);
}

WithoutGil::~WithoutGil() {
  taking_gil([&] { PyEval_RestoreThread(state_); });
  computing.fetch_sub(1);
}

WithGil::WithGil() : state_(taking_gil([] { return PyGILState_Ensure(); })) {
  computing.fetch_sub(1);
}

WithGil::~WithGil() {
  computing.fetch_add(1);
  PyGILState_Release(state_);
}

bool is_main_thread() {
  return ::gettid() == ::getpid();
}

void watch_for_the_end() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(end_of_interpreter));
  ::pthread_atfork(nullptr, nullptr, forget_in_child);
#ifdef __GLIBC__
  ::on_exit(end_of_process, nullptr);
#endif
}

}  // namespace summand::python
