#include "base/interruption.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "support/forked.hpp"

using summand::Interrupted;
using summand::test::status_of_child;

namespace {

/// Whether waiting for a pipe that nobody writes to ends with this signal.
bool ends_waiting(int signal, const std::array<int, 2>& pipe) {
  try {
    summand::wait_for_input(pipe[0]);
  } catch (const Interrupted& interrupted) {
    return interrupted.signal == signal;
  }
  return false;
}

}  // namespace

TEST_CASE("a signal that came before waiting for input ends it") {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  CHECK(status_of_child([&pipe] {
          summand::notice_interruptions();
          ::raise(SIGTERM);
          return ends_waiting(SIGTERM, pipe);
        }) == 0);
}

TEST_CASE("a signal that another thread receives ends waiting for input") {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  CHECK(status_of_child([&pipe] {
          summand::notice_interruptions();
          std::thread other([] { ::raise(SIGHUP); });  // of that thread alone
          const bool ended = ends_waiting(SIGHUP, pipe);
          other.join();
          return ended;
        }) == 0);
}

TEST_CASE("input that is there, has ended, or is no input at all is not waited for") {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  REQUIRE(::write(pipe[1], "x", 1) == 1);
  summand::wait_for_input(pipe[0]);
  char byte = 0;
  REQUIRE(::read(pipe[0], &byte, 1) == 1);
  ::close(pipe[1]);
  summand::wait_for_input(pipe[0]);
  ::close(pipe[0]);
  summand::wait_for_input(pipe[0]);
}
