#include "serve/service/request_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

namespace summand::serve {

namespace {

double milliseconds(double seconds) {
  return std::round(seconds * 1e6) / 1e3;
}

std::string now() {
  const auto time = std::chrono::system_clock::now();
  const auto thousandths =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(time)),
                     thousandths);
}

}  // namespace

void RequestLog::write(const LoggedRequest& request) const {
  if (options_.which == Which::none || (options_.which == Which::faults && request.fault.empty())) return;
  nlohmann::ordered_json line{{"time", now()},
                              {"id", request.id},
                              {"peer", request.peer},
                              {"method", request.method},
                              {"path", request.path},
                              {"status", request.status},
                              {"bytes_in", request.bytes_in},
                              {"bytes_out", request.bytes_out},
                              {"total_ms", milliseconds(request.times.total)}};
  if (!request.key.empty()) line["key"] = request.key;
  if (!request.model.empty()) line["model"] = request.model;
  if (request.texts > 0) {
    line.update({{"texts", request.texts},
                 {"tokens", request.tokens},
                 {"truncated", request.truncated},
                 {"stored", request.stored},
                 {"tokenization_ms", milliseconds(request.times.tokenization)},
                 {"queue_ms", milliseconds(request.times.queue)},
                 {"inference_ms", milliseconds(request.times.inference)}});
  }
  if (!request.fault.empty()) line["error"] = request.fault;
  if (options_.bodies && !request.body.empty()) line["body"] = request.body;
  const auto text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  // A log that nobody reads, or that cannot be written, stops no request.
  pollfd log{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&log, 1, 0) <= 0) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // One call, so that lines of several threads do not mix.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) lost_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace summand::serve
