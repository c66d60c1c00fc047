#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <ctime>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "serve/http/answer_slot.hpp"
#include "serve/http/response_head.hpp"
#include "serve/http/server.hpp"
#include "serve/http/wake_queue.hpp"

namespace summand::serve::http {

/// A connection, as the server ends it. On the server's thread.
class Client : public Sleeper {
 public:
  /// No answer will be written any more, and its exchange's client counts as gone.
  virtual void abandon() = 0;
  /// Ends if it waits for a request and no byte of one has come.
  virtual void abandon_if_idle() = 0;
};

/// What the connections of a server share. On the server's thread, but for the counts.
class Hub {
 public:
  Hub(ServerOptions options, Handler handler, ErrorBody error_body);
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;
  ~Hub();

  [[nodiscard]] const ServerOptions& options() const { return options_; }
  [[nodiscard]] const Limits& limits() const { return options_.limits; }
  [[nodiscard]] boost::asio::io_context& loop() { return loop_; }
  [[nodiscard]] const std::shared_ptr<WakeQueue>& queue() const { return queue_; }
  [[nodiscard]] const UnsentBytes::Total& unsent_bytes() const { return unsent_bytes_; }
  [[nodiscard]] ServerCounts counts() const;  ///< from any thread

  void add(Client& client);
  void remove(Client& client);

  /// Hands an exchange to the handler. An exception of the handler is reported and answered.
  void handle(const std::shared_ptr<Exchange>& exchange);
  /// Asks the caller's own function about a request's head.
  [[nodiscard]] std::optional<Response> refuse_early(const Request& head);
  /// What the server answers by itself.
  [[nodiscard]] Response error(unsigned status, std::string_view path, std::string_view message);
  /// A line about an error within the server or its handler.
  void report(std::string_view what) noexcept;
  void report(std::exception_ptr error) noexcept;

  [[nodiscard]] std::string_view date();  ///< of now; valid until the next call
  [[nodiscard]] std::string new_id();

  /// From now on answers close their connections, and the loop stops once no connection is left.
  void finish();
  [[nodiscard]] bool finishing() const { return finishing_; }
  /// Idle connections end, and the loop stops once nothing is at work.
  void end_idle();
  void abandon_all();  ///< and no work is waited for any more

  /// While one lives, a request is being received or answered, or an answer sent.
  class Work {
   public:
    explicit Work(Hub& hub) : hub_(hub) { ++hub_.at_work_; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() {
      --hub_.at_work_;
      hub_.stop_when_finished();
    }

   private:
    Hub& hub_;
  };

  /// The bytes of a body that is being received.
  class Receiving {
   public:
    explicit Receiving(Hub& hub) : hub_(hub) {}
    Receiving(const Receiving&) = delete;
    Receiving& operator=(const Receiving&) = delete;
    ~Receiving() { count(0); }

    /// @param bytes  of the body so far
    void count(size_t bytes) {
      hub_.receiving_bytes_ += bytes - bytes_;
      bytes_ = bytes;
    }
    /// Whether a body of so many bytes is large and finds no room. Small ones always do: they end soon.
    [[nodiscard]] bool exceeds_limit(size_t bytes) const {
      constexpr size_t kSmall = size_t{64} << 10;
      return bytes > kSmall && hub_.receiving_bytes_ - bytes_ + bytes > hub_.limits().receiving_bytes;
    }

   private:
    Hub& hub_;
    size_t bytes_ = 0;
  };

  /// While one lives, an exchange is unanswered.
  class Unanswered {
   public:
    explicit Unanswered(Hub& hub) : hub_(hub) { hub_.exchanges_.fetch_add(1, std::memory_order_relaxed); }
    Unanswered(const Unanswered&) = delete;
    Unanswered& operator=(const Unanswered&) = delete;
    ~Unanswered() { hub_.exchanges_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    Hub& hub_;
  };

 private:
  void stop_when_finished();

  const ServerOptions options_;
  const Handler handler_;
  const ErrorBody error_body_;
  std::atomic<size_t> connections_{0};
  std::atomic<size_t> exchanges_{0};
  const UnsentBytes::Total unsent_bytes_ = std::make_shared<std::atomic<size_t>>(0);
  std::unordered_set<Client*> clients_;
  bool finishing_ = false;
  bool ends_idle_ = false;
  bool ended_ = false;
  size_t at_work_ = 0;
  size_t receiving_bytes_ = 0;
  std::string date_;
  std::time_t date_of_ = 0;
  const std::string id_begin_;  // differs between servers
  uint64_t ids_ = 0;
  boost::asio::io_context loop_{1};  // last: connections end with it, and use the rest
  std::shared_ptr<WakeQueue> queue_ = std::make_shared<WakeQueue>(loop_);
};

}  // namespace summand::serve::http
