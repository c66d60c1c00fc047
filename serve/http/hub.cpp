#include "serve/http/hub.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "serve/http/status.hpp"

namespace summand::serve::http {

namespace {

std::string random_begin() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}-", random(), random());
}

/// Where the caller's own function failed.
Response plain_error(unsigned status, std::string_view message) {
  return {.status = status, .content_type = "text/plain", .body = std::string(message) + "\n"};
}

}  // namespace

Hub::Hub(ServerOptions options, Handler handler, ErrorBody error_body)
    : options_(std::move(options)),
      handler_(std::move(handler)),
      error_body_(std::move(error_body)),
      id_begin_(random_begin()) {}

Hub::~Hub() {
  queue_->close();
}

ServerCounts Hub::counts() const {
  return {.connections = connections_.load(std::memory_order_relaxed),
          .exchanges = exchanges_.load(std::memory_order_relaxed),
          .unsent_bytes = unsent_bytes_->load(std::memory_order_relaxed)};
}

void Hub::add(Client& client) {
  clients_.insert(&client);
  connections_.store(clients_.size(), std::memory_order_relaxed);
}

void Hub::remove(Client& client) {
  clients_.erase(&client);
  connections_.store(clients_.size(), std::memory_order_relaxed);
  stop_when_finished();
}

void Hub::handle(const std::shared_ptr<Exchange>& exchange) {
  try {
    handler_(exchange);
  } catch (...) {
    report(std::current_exception());
    exchange->respond(error(status::kInternalError, exchange->request().path, "an error within the server"));
  }
}

std::optional<Response> Hub::refuse_early(const Request& head) {
  try {
    return options_.refuse_early(head);
  } catch (...) {
    report(std::current_exception());
    return error(status::kInternalError, head.path, "an error within the server");
  }
}

Response Hub::error(unsigned status, std::string_view path, std::string_view message) {
  try {
    return error_body_(status, path, message);
  } catch (...) {
    report(std::current_exception());
    return plain_error(status, message);
  }
}

void Hub::report(std::string_view what) noexcept {
  try {
    const std::string line = escaped(what);
    if (options_.on_error) {
      options_.on_error(line);
    } else {
      std::fprintf(stderr, "summand: [server] %s\n", line.c_str());
    }
  } catch (...) {  // there is nobody left to tell
  }
}

void Hub::report(std::exception_ptr error) noexcept {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const std::exception& known) {
    report(std::string_view(known.what()));
  } catch (...) {
    report(std::string_view("an exception of an unknown type"));
  }
}

std::string_view Hub::date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_of_) {
    date_ = http_date(now);
    date_of_ = now;
  }
  return date_;
}

std::string Hub::new_id() {
  return fmt::format("{}{:x}", id_begin_, ++ids_);
}

void Hub::finish() {
  finishing_ = true;
  for (Client* client : clients_) client->wake();  // one that only waits for its client to close waits less now
  stop_when_finished();
}

void Hub::end_idle() {
  ends_idle_ = true;
  const std::vector<Client*> clients(clients_.begin(), clients_.end());
  for (Client* client : clients) client->abandon_if_idle();
  stop_when_finished();
}

void Hub::stop_when_finished() {
  if (!finishing_ || ended_ || at_work_ > 0) return;
  if (ends_idle_ || clients_.empty()) loop_.stop();
}

void Hub::abandon_all() {
  ended_ = true;
  const std::vector<Client*> clients(clients_.begin(), clients_.end());
  for (Client* client : clients) client->abandon();
}

}  // namespace summand::serve::http
