#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "serve/service/metrics.hpp"

namespace summand::serve {

/// What the log says of a request.
struct LoggedRequest {
  std::string_view id, key, peer, method, path, model;
  unsigned status = 0;     ///< 499: the client went away
  std::string_view fault;  ///< message of a refusal
  size_t texts = 0, tokens = 0, truncated = 0, stored = 0;
  size_t bytes_in = 0, bytes_out = 0;
  RequestTimes times;
  std::string_view body = {};  ///< only where it was asked for
};

/// A line of JSON for every request, on standard error. No text of a request is in it unless asked for.
class RequestLog {
 public:
  enum class Which { all, faults, none };
  struct Options {
    Which which = Which::all;
    bool bodies = false;  ///< whether bodies are logged too
  };

  explicit RequestLog(Options options) : options_(options) {}

  [[nodiscard]] bool wants_bodies() const { return options_.bodies; }
  void write(const LoggedRequest& request) const;
  /// Lines that could not be written: nobody read the log.
  [[nodiscard]] size_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  Options options_;
  mutable std::atomic<size_t> lost_ = 0;
};

}  // namespace summand::serve
