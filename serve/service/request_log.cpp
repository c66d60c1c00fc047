#include "serve/service/request_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

namespace summand::serve {

namespace {

constexpr size_t kMostWaiting = size_t{1} << 20;  // bytes of lines

/// @return whether standard error took it
bool write_whole(std::string_view line) {
  while (!line.empty()) {
    const auto written = ::write(STDERR_FILENO, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd log{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
      if (::poll(&log, 1, -1) > 0 || errno == EINTR) continue;
    }
    if (written < 0) return false;
    line.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

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

/// Lines that wait to be written.
struct RequestLog::Lines {
  std::mutex mutex = {};
  std::condition_variable changed = {};
  std::deque<std::string> waiting = {};
  size_t bytes = 0;  // of these
  size_t lost = 0;
  bool ending = false;
  bool ended = false;

  void add(std::string line) {
    {
      const std::lock_guard lock(mutex);
      if (bytes > 0 && bytes + line.size() > kMostWaiting) {
        ++lost;
        return;
      }
      bytes += line.size();
      waiting.push_back(std::move(line));
    }
    changed.notify_all();
  }
};

RequestLog::RequestLog(Options options) : options_(options), lines_(std::make_shared<Lines>()) {
  std::thread([lines = lines_] { write_all(lines); }).detach();
}

RequestLog::~RequestLog() {
  constexpr std::chrono::seconds kPatience{1};
  std::unique_lock lock(lines_->mutex);
  lines_->ending = true;
  lines_->changed.notify_all();
  lines_->changed.wait_for(lock, kPatience, [this] { return lines_->ended; });
}

void RequestLog::say(std::string_view line) const {
  lines_->add(fmt::format("summand: {}\n", line));
}

size_t RequestLog::lost() const {
  const std::lock_guard lock(lines_->mutex);
  return lines_->lost;
}

void RequestLog::write_all(const std::shared_ptr<Lines>& lines) {
  std::unique_lock lock(lines->mutex);
  while (true) {
    lines->changed.wait(lock, [&] { return lines->ending || !lines->waiting.empty(); });
    if (lines->waiting.empty()) break;
    const std::string line = std::move(lines->waiting.front());
    lines->waiting.pop_front();
    lock.unlock();
    const bool written = write_whole(line);
    lock.lock();
    lines->bytes -= line.size();
    if (!written) ++lines->lost;
  }
  lines->ended = true;
  lines->changed.notify_all();
}

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
  auto text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  lines_->add(std::move(text));
}

}  // namespace summand::serve
