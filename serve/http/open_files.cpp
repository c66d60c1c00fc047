#include "serve/http/open_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <limits>

#include "base/error.hpp"

namespace summand::serve::http {

namespace {

constexpr rlim_t kOthers = 256;  // models, listeners, connections that are refused

}  // namespace

size_t most_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<size_t>::max();
  return limit.rlim_max > kOthers ? limit.rlim_max - kOthers : 0;
}

void allow_open_files(size_t connections) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = connections + kOthers;
  if (limit.rlim_cur >= needed) return;
  if (limit.rlim_max < needed) {
    throw UsageError("connections", fmt::format("expected at most {}, as this process may open {} files (ulimit -Hn), "
                                                "got {}",
                                                most_connections(), limit.rlim_max, connections));
  }
  limit.rlim_cur = needed;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace summand::serve::http
