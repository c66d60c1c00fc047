#pragma once

#include "python/binding/python.hpp"

// Daemon threads may be inside a call when the interpreter ends. Python ends a thread that then asks for the GIL by
// pthread_exit, whose unwinding neither C++ destructors nor nanobind survive. So such threads wait here for the end of
// the process, before they ask.
namespace summand::python {

/// A thread is inside a call while one of these lives. Made with the GIL; does not return at the interpreter's end.
class InsideCall {
 public:
  InsideCall();
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;
  ~InsideCall();
};

/// While it lives, other Python threads run.
class WithoutGil {
 public:
  WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil();

 private:
  PyThreadState* state_;
};

/// Takes the GIL for a while, inside a call that goes on without it.
class WithGil {
 public:
  WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil();

 private:
  PyGILState_STATE state_;
};

/// Whether this thread is the process's first: only there do Python's handlers of signals run.
[[nodiscard]] bool is_main_thread();

/// Looks after the end of the interpreter and of the process.
void watch_for_the_end();

}  // namespace summand::python
