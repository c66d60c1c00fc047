#pragma once

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>

#include "python/binding/python.hpp"

namespace summand::python {

/// Calls that compute without the GIL now. What they compute with must not be destroyed under them: end_of_process().
inline std::atomic<int>& running_calls() {
  static std::atomic<int> count{0};
  return count;
}

/// Runs what takes the GIL. Python ends a thread that asks for it after the interpreter has begun to end, by
/// pthread_exit, whose unwinding C++ destructors do not survive; such a thread waits here for the end of the process.
template <class Take>
auto taking_gil(const Take& take) {
  try {
    return take();
  } catch (const abi::__forced_unwind&) {
    while (true) ::pause();
  }
}

/// While it lives, other Python threads run.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) { running_calls().fetch_add(1); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    taking_gil([&] { PyEval_RestoreThread(state_); });
    running_calls().fetch_sub(1);
  }

 private:
  PyThreadState* state_;
};

/// Takes the GIL for a while, inside a call that goes on without it.
class WithGil {
 public:
  WithGil() : state_(taking_gil([] { return PyGILState_Ensure(); })) {}
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

/// Daemon threads may compute when the process ends: then it leaves as it is, without destructors.
void end_of_process(int status, void* unused);

}  // namespace summand::python
