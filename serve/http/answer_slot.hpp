#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "serve/http/exchange.hpp"
#include "serve/http/wake_queue.hpp"

namespace summand::serve::http {

/// Counts the body of an answer for as long as it lives.
class UnsentBytes {
 public:
  using Total = std::shared_ptr<std::atomic<size_t>>;  ///< shared: answers may outlive the server

  UnsentBytes(Total total, size_t bytes) : total_(std::move(total)), bytes_(bytes) {
    total_->fetch_add(bytes_, std::memory_order_relaxed);
  }
  UnsentBytes(UnsentBytes&& other) noexcept : total_(std::move(other.total_)), bytes_(std::exchange(other.bytes_, 0)) {}
  UnsentBytes& operator=(UnsentBytes&& other) noexcept {
    std::swap(total_, other.total_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~UnsentBytes() {
    if (bytes_ > 0) total_->fetch_sub(bytes_, std::memory_order_relaxed);
  }

 private:
  Total total_;
  size_t bytes_;
};

/// An answer until it is written or dropped.
struct Answer {
  Response response;
  UnsentBytes unsent;
};

/// Where an exchange leaves its answer for its connection. Both own it: the exchange may outlive the connection and the
/// server.
///
/// Thread-safety: members may be called from any thread.
class AnswerSlot {
 public:
  AnswerSlot(std::shared_ptr<WakeQueue> queue, UnsentBytes::Total unsent, std::weak_ptr<Sleeper> connection);

  // Of the exchange.
  void give(Response response);
  /// The exchange was dropped: without an answer, there will be none.
  void drop();
  void on_gone(std::function<void()> f);

  // Of the connection.
  /// From now on an answer wakes the connection. @return false if it is there already
  [[nodiscard]] bool wait();
  [[nodiscard]] bool settled() const;          ///< an answer is there, or there will be none
  [[nodiscard]] std::optional<Answer> take();  ///< once settled
  /// The client has gone.
  void leave();

 private:
  enum class State { open, settled, gone };

  void settle(std::optional<Response> response);

  const std::shared_ptr<WakeQueue> queue_;
  const UnsentBytes::Total unsent_;
  const std::weak_ptr<Sleeper> connection_;
  mutable std::mutex mutex_;
  State state_ = State::open;
  bool waited_for_ = false;
  std::optional<Answer> answer_;
  std::function<void()> on_gone_;
};

/// The exchange that a handler sees.
class LiveExchange final : public Exchange {
 public:
  LiveExchange(Request request, std::shared_ptr<AnswerSlot> slot);
  LiveExchange(const LiveExchange&) = delete;
  LiveExchange& operator=(const LiveExchange&) = delete;
  ~LiveExchange() override;

  [[nodiscard]] const Request& request() const override { return request_; }
  [[nodiscard]] std::string take_body() override;
  void respond(Response response) override;
  void on_gone(std::function<void()> f) override;

 private:
  Request request_;
  const std::shared_ptr<AnswerSlot> slot_;
};

}  // namespace summand::serve::http
