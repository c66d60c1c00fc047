#pragma once

#include <poll.h>
#include <unistd.h>

namespace summand::terminal {

/// Whether the reader of standard output has closed it, as in `| head`. Programs then end silently.
[[nodiscard]] inline bool reader_is_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

}  // namespace summand::terminal
