#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/exchange.hpp"
#include "serve/routes/body.hpp"
#include "serve/routes/dialect.hpp"
#include "serve/service/service.hpp"

namespace summand::serve {

class Call;

/// A path and what answers it.
struct Route {
  /// `page`: the live page's own, not there if there is no page.
  enum class Access { free, with_key, page };

  std::string_view method;
  std::string_view path;
  Dialect dialect = Dialect::native;
  std::string_view kind = {};  ///< of its metrics: "embed", "predict", or "other"; empty: no work for a model
  Access access = Access::with_key;
  /// Answers the call, now or later. What it throws becomes an error.
  void (*answer)(const std::shared_ptr<Call>& call) = nullptr;
};

/// A request on its way through a route.
///
/// Thread-safety: members are called by one thread at a time; answer() and refuse() may be called from any.
class Call : public std::enable_shared_from_this<Call> {
 public:
  using Clock = std::chrono::steady_clock;

  Call(Service& service, const Route& route, std::shared_ptr<http::Exchange> exchange, Key* key);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  [[nodiscard]] Service& service() const { return service_; }
  [[nodiscard]] const Route& route() const { return route_; }
  [[nodiscard]] http::Exchange& exchange() const { return *exchange_; }
  [[nodiscard]] const http::Request& request() const { return exchange_->request(); }

  /// Reads the JSON, but for the live page's routes. @throws Refused
  void read_body();
  /// @pre read_body()
  [[nodiscard]] Body& body() { return *body_; }
  /// The body as sent, of the live page's routes, which read it themselves.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// The model that the field `model` names, or the first.
  /// @throws Refused if there is none of this name
  [[nodiscard]] ServedModel& model();

  /// @throws Refused if a request may not have so many texts
  void require_texts(size_t texts) const;
  /// @param bytes  of texts, each with its query or prompt
  /// @throws Refused if a request may not have so many to tokenize
  void require_reading(size_t bytes) const;
  /// @throws Refused if an answer may not have so many bytes
  void require_answer(size_t bytes) const;
  /// Says what was read, once, before work is asked for.
  struct Size {
    size_t texts = 0, tokens = 0, truncated = 0, characters = 0;
  };
  void set_size(const Size& size);
  /// Takes the tokens of its size from what the key has left. @throws Refused if these are not enough
  void charge();
  /// Gives them back: nothing was computed.
  void refund();
  [[nodiscard]] const Size& size() const { return size_; }
  /// Whose metrics count it, where its route does not say: "embed", "predict".
  void set_kind(std::string_view kind) { kind_ = kind; }
  void set_stored(size_t stored) { stored_ = stored; }
  void set_times(double queue, double inference);
  /// Tells the client a line beside the answer.
  void notice(std::string line) { notices_.push_back(std::move(line)); }

  /// Answers, with headers of times and counts. Only the first call of these has an effect.
  void answer(http::Response response);
  void answer(std::string json) { answer(http::Response{.body = std::move(json)}); }
  void refuse(const Refused& refused);
  /// Answers with whatever is being thrown: call it from a catch block.
  void refuse_thrown();
  /// Says that nobody waits any more.
  void dropped();

  [[nodiscard]] bool is_gone();
  /// Calls `f` when the client goes away before it is answered; at once if it has gone. A later one takes its place.
  void on_gone(std::function<void()> f);

  /// Runs a step; what it throws becomes the answer.
  void attempt(const std::function<void()>& step);
  /// Likewise in the background, unless the client has gone before its turn.
  void attempt_in(Background& background, std::function<void()> step);

 private:
  void end(http::Response response, std::string_view fault, std::string_view message);

  Service& service_;
  const Route& route_;
  std::shared_ptr<http::Exchange> exchange_;
  Key* key_;
  std::string_view kind_ = route_.kind;
  Clock::time_point start_ = Clock::now();
  std::string bytes_;
  size_t bytes_in_;
  std::optional<Body> body_;
  std::string model_name_;
  Size size_;
  size_t stored_ = 0;
  std::vector<std::string> notices_;
  RequestTimes times_;
  std::atomic<bool> ended_ = false;

  struct Gone {
    std::mutex mutex = {};
    bool is_so = false;
    std::function<void()> then = {};
  };
  [[nodiscard]] Gone& watched();
  std::shared_ptr<Gone> gone_;
};

}  // namespace summand::serve
