#pragma once

#include <cstddef>
#include <memory>
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

/// A line of JSON for every request but the live page's GETs that succeed, on standard error. No text of a request is
/// in it unless asked for. A thread of its own writes the lines: a log that nobody reads stops no request, and what
/// would wait in front of it is lost.
///
/// Thread-safety: members may be called from any thread.
class RequestLog {
 public:
  enum class Which { all, faults, none };
  struct Options {
    Which which = Which::all;
    bool bodies = false;  ///< whether bodies are logged too
  };

  explicit RequestLog(Options options);
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;
  /// Writes what is left, if somebody reads it within a second.
  ~RequestLog();

  [[nodiscard]] bool wants_bodies() const { return options_.bodies; }
  void write(const LoggedRequest& request) const;
  /// A line of the server's own, among the others.
  void say(std::string_view line) const;
  /// Lines that could not be written: nobody read the log.
  [[nodiscard]] size_t lost() const;

 private:
  struct Lines;
  static void write_all(const std::shared_ptr<Lines>& lines);

  const Options options_;
  std::shared_ptr<Lines> lines_;  // with the thread, which may outlive this in a write that never ends
};

}  // namespace summand::serve
