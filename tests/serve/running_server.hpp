#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "serve/http/server.hpp"

namespace summand::test {

/// "405 /path: message", so that a test can ask for each.
inline serve::http::Response error_body(unsigned status, std::string_view path, std::string_view message) {
  return {.status = status,
          .content_type = "text/plain",
          .body = std::to_string(status) + " " + std::string(path) + ": " + std::string(message)};
}

/// Answers what it was asked: "POST /path?query\nbody".
inline void echo(const std::shared_ptr<serve::http::Exchange>& exchange) {
  const auto& request = exchange->request();
  std::string body = request.method + " " + request.path + "?" + request.query + "\n" + request.body;
  exchange->respond({.content_type = "text/plain", .body = std::move(body)});
}

/// On a free port, unless told otherwise.
inline serve::http::ServerOptions any_port(serve::http::Limits limits = {}) {
  return {.addresses = {{.port = 0}}, .limits = limits, .on_error = [](const std::string&) {}};
}

/// A server and its thread.
class RunningServer {
 public:
  explicit RunningServer(serve::http::Handler handler, serve::http::ServerOptions options = any_port())
      : server_(std::move(options), std::move(handler), error_body), thread_([this] { server_.run(); }) {}
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  serve::http::Server& operator*() { return server_; }
  serve::http::Server* operator->() { return &server_; }
  [[nodiscard]] unsigned short port() const { return server_.addresses().front().port; }
  /// Waits for run() to return.
  void join() { thread_.join(); }

 private:
  serve::http::Server server_;
  std::thread thread_;
};

/// Waits until a condition holds, for a time that no machine should take.
template <class Condition>
[[nodiscard]] bool comes_true(Condition condition) {
  constexpr std::chrono::seconds kLongest{60};
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace summand::test
