#include "serve/http/open_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/error.hpp"

namespace summand::serve::http {

void allow_open_files(size_t connections) {
  constexpr rlim_t kOthers = 256;  // models, listeners, connections that are refused
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = connections + kOthers;
  if (limit.rlim_cur >= needed) return;
  if (limit.rlim_max < needed) {
    const rlim_t most = limit.rlim_max > kOthers ? limit.rlim_max - kOthers : 0;
    throw UsageError("connections", fmt::format("expected at most {}, as this process may open {} files (ulimit -Hn), "
                                                "got {}",
                                                most, limit.rlim_max, connections));
  }
  limit.rlim_cur = needed;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace summand::serve::http
