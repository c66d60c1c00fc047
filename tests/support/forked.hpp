#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

namespace summand::test {

/// Forks, lets the child do something and exit as programs do, with destructors and handlers.
/// @param body  returns whether all is well; it does not throw
/// @return the child's exit status: 0, or 1 if all was not well; -1 if it did not exit by itself
[[nodiscard]] inline int status_of_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) std::exit(body() ? 0 : 1);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace summand::test
