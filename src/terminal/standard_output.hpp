#pragma once

#include <poll.h>
#include <unistd.h>

namespace summand::terminal {

/// Whether whoever read standard output has gone, as `| head` does: other programs end silently then.
[[nodiscard]] inline bool reader_is_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

}  // namespace summand::terminal
