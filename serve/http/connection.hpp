#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "serve/http/answer_slot.hpp"
#include "serve/http/hub.hpp"
#include "serve/http/open_connection.hpp"
#include "serve/http/request_reader.hpp"
#include "serve/http/response_head.hpp"
#include "serve/http/status.hpp"
#include "serve/http/stream.hpp"

namespace summand::serve::http {

/// One client: its requests, one after the other. serve() is the only coroutine; reading and writing end in callbacks
/// that set a member and wake it, so that it can wait for several things and a deadline at once.
template <class Stream>
class Connection final : public Client, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Hub& hub, Stream stream, Arrival arrival)
      : hub_(hub), stream_(std::move(stream)), arrival_(std::move(arrival)), timer_(hub.loop()) {
    hub_.add(*this);
  }
  ~Connection() override { hub_.remove(*this); }

  /// Runs until the connection has ended.
  boost::asio::awaitable<void> serve();

  void wake() override { timer_.cancel(); }
  void abandon() override;
  void abandon_if_idle() override {
    if (idle_) abandon();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Code = boost::system::error_code;
  using Stage = RequestReader::Stage;
  template <class Value = void>
  using Task = boost::asio::awaitable<Value>;

  static constexpr size_t kReadBytes = size_t{16} << 10;
  static constexpr size_t kReadBodyBytes = size_t{256} << 10;
  static constexpr size_t kKeptBytes = size_t{64} << 10;  // of the buffer, between requests
  static constexpr std::chrono::milliseconds kLinger{3'000};
  static constexpr std::chrono::milliseconds kLingerAtEnd{500};
  static constexpr std::chrono::milliseconds kIdleAtEnd{500};  // of clients that come while the server finishes

  /// A request on its way in.
  struct Incoming {
    explicit Incoming(Hub& hub)
        : reader({.header_bytes = hub.limits().header_bytes, .body_bytes = hub.limits().body_bytes}), receiving(hub) {}

    RequestReader reader;
    Hub::Receiving receiving;
    std::string id;                   // once the request was told to anybody
    bool head_judged = false;         // before its body is read
    std::optional<Response> refusal;  // without its body
    std::optional<Hub::Work> work;    // from its first byte on
  };

  Task<bool> shake_hands();
  Task<bool> serve_request();
  Task<bool> read_request(Incoming& incoming);
  Task<bool> answer(Incoming& incoming);
  Task<bool> refuse(Incoming& incoming, Response response);
  Task<bool> refuse(Incoming& incoming, Fault fault);
  Task<bool> send(const Response& response, bool with_body, const HeadContext& context);
  Task<bool> write(std::string_view head, std::string_view body);
  Task<> say_goodbye();
  Task<> watch(const AnswerSlot& slot);
  void start_reading(size_t most);
  void read_ahead(size_t most);
  void judge(Incoming& incoming);
  void identify(Incoming& incoming, Request& request);

  /// Waits until `done`. @return false: the deadline came first, or the connection was abandoned
  template <class Done>
  Task<bool> wait_until(Done done, Clock::time_point deadline) {
    while (!done()) {
      if (abandoned_ || Clock::now() >= deadline) co_return false;
      timer_.expires_at(deadline);
      Code woken;
      co_await timer_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
    }
    co_return !abandoned_;
  }

  [[nodiscard]] bool ended() const { return abandoned_ || read_failed_; }
  [[nodiscard]] std::string_view unread() const {
    return {static_cast<const char*>(buffer_.data().data()), buffer_.size()};
  }
  /// A closed socket whose answer was not taken is reset: the system would go on sending it.
  void reset();

  Hub& hub_;
  Stream stream_;
  const Arrival arrival_;
  boost::asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::string head_;
  std::string scratch_;  // what is read only to be discarded
  std::string ahead_;    // what is read while buffer_ holds a request that waits
  size_t written_ = 0;
  bool idle_ = false;
  bool reading_ = false;
  bool reading_ahead_ = false;  // into ahead_; else into buffer_, which must not change meanwhile
  bool read_failed_ = false;
  bool writing_ = false;
  bool write_failed_ = false;
  bool discarding_ = false;
  bool changing_tls_ = false;
  bool abandoned_ = false;
};

template <class Stream>
void Connection<Stream>::abandon() {
  abandoned_ = true;
  close_socket(stream_);
  wake();
}

template <class Stream>
void Connection<Stream>::reset() {
  Code ignored;
  socket_of(stream_).set_option(boost::asio::socket_base::linger(true, 0), ignored);
  close_socket(stream_);
}

template <class Stream>
void Connection<Stream>::start_reading(size_t most) {
  if (reading_ || read_failed_) return;
  reading_ = true;
  stream_.async_read_some(buffer_.prepare(most), [this, self = this->shared_from_this()](Code error, size_t bytes) {
    reading_ = false;
    buffer_.commit(bytes);
    if (error) read_failed_ = true;
    wake();
  });
}

/// As start_reading(), but buffer_ may be used meanwhile.
template <class Stream>
void Connection<Stream>::read_ahead(size_t most) {
  if (reading_ || read_failed_) return;
  reading_ = reading_ahead_ = true;
  ahead_.resize(most);
  stream_.async_read_some(
      boost::asio::buffer(ahead_), [this, self = this->shared_from_this()](Code error, size_t bytes) {
        reading_ = reading_ahead_ = false;
        buffer_.commit(boost::asio::buffer_copy(buffer_.prepare(bytes), boost::asio::buffer(ahead_.data(), bytes)));
        if (error) read_failed_ = true;
        wake();
      });
}

template <class Stream>
boost::asio::awaitable<void> Connection<Stream>::serve() {
  const auto self = this->shared_from_this();
  bool open = co_await shake_hands();
  if (open && arrival_.admission == Admission::refused) {
    Incoming nothing(hub_);
    nothing.work.emplace(hub_);
    const Fault fault{status::kUnavailable, "too many connections"};
    open = co_await refuse(nothing, fault);
  }
  while (open && !abandoned_) open = co_await serve_request();
  close_socket(stream_);
}

/// Of TLS. @return whether there is a connection now
template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::shake_hands() {
  if constexpr (kIsTls<Stream>) {
    changing_tls_ = true;
    stream_.async_handshake(Stream::server, [this, self = this->shared_from_this()](Code error) {
      changing_tls_ = false;
      if (error) read_failed_ = true;
      wake();
    });
    const auto deadline = Clock::now() + hub_.limits().header_time;
    const bool in_time = co_await wait_until([this] { return !changing_tls_; }, deadline);
    co_return in_time && !read_failed_;
  }
  co_return true;
}

/// @return whether the connection stays
template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::serve_request() {
  Incoming incoming(hub_);
  const bool readable = co_await read_request(incoming);
  if (!readable) co_return false;
  bool stays = false;
  if (incoming.refusal) {
    stays = co_await refuse(incoming, std::move(*incoming.refusal));
  } else if (incoming.reader.stage() == Stage::done) {
    stays = co_await answer(incoming);
  } else if (incoming.reader.stage() == Stage::failed) {
    stays = co_await refuse(incoming, incoming.reader.fault());
  } else {
    const Fault fault{status::kTimeout, "the request came too slowly"};
    stays = co_await refuse(incoming, fault);
  }
  co_return stays;
}

/// The request's id and peer.
template <class Stream>
void Connection<Stream>::identify(Incoming& incoming, Request& request) {
  if (incoming.id.empty()) {
    const std::string_view sent_id = request.header("X-Request-Id");
    incoming.id = is_request_id(sent_id) ? std::string(sent_id) : hub_.new_id();
  }
  request.id = incoming.id;
  request.peer = arrival_.peer;
}

/// Refuses a request whose body is on its way: at its head what the caller refuses, and whenever there is no room.
template <class Stream>
void Connection<Stream>::judge(Incoming& incoming) {
  const RequestReader& reader = incoming.reader;
  size_t bytes = reader.request().body.size();
  if (!incoming.head_judged) {
    incoming.head_judged = true;
    if (hub_.options().refuse_early) {
      Request head = reader.request();
      head.body.clear();
      identify(incoming, head);
      incoming.refusal = hub_.refuse_early(head);
      if (incoming.refusal) return;
    }
    bytes = std::max(bytes, reader.content_length());
  }
  if (incoming.receiving.exceeds_limit(bytes)) {
    incoming.refusal =
        hub_.error(status::kUnavailable, reader.request().path, "too many bytes of requests are being received");
    incoming.refusal->headers.emplace_back("Retry-After", "1");
  }
}

/// Reads until the reader is done or has failed, the request is refused, or the client is too slow.
/// @return false: nobody is left to be answered
template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::read_request(Incoming& incoming) {
  const Limits& limits = hub_.limits();
  RequestReader& reader = incoming.reader;
  Stage timed = Stage::empty;
  auto deadline = Clock::now() + (hub_.finishing() ? std::min(limits.idle, kIdleAtEnd) : limits.idle);
  bool told_to_continue = false;
  while (true) {
    if (!reading_ || reading_ahead_) buffer_.consume(reader.read(unread()));
    const Stage stage = reader.stage();
    if (stage != Stage::empty && !incoming.work) incoming.work.emplace(hub_);
    if (stage == Stage::done || stage == Stage::failed) break;
    if (stage == Stage::body) {
      judge(incoming);
      if (incoming.refusal) break;
      incoming.receiving.count(reader.request().body.size());
    }
    if (stage != timed) {
      deadline = Clock::now() + (stage == Stage::header ? limits.header_time : limits.body_time);
      timed = stage;
    }
    if (stage == Stage::body && reader.expects_continue() && !told_to_continue && unread().empty()) {
      told_to_continue = true;
      const bool told = co_await write("HTTP/1.1 100 Continue\r\n\r\n", {});
      if (!told) co_return false;
    }
    start_reading(stage == Stage::body ? kReadBodyBytes : kReadBytes);
    idle_ = stage == Stage::empty;
    const bool in_time = co_await wait_until([this] { return !reading_; }, deadline);
    idle_ = false;
    if (ended()) co_return false;
    if (!in_time) co_return stage != Stage::empty;
  }
  incoming.receiving.count(0);
  if (buffer_.size() == 0 && buffer_.capacity() > kKeptBytes) buffer_ = {};
  co_return true;
}

/// @return whether the connection stays
template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::answer(Incoming& incoming) {
  const RequestReader& reader = incoming.reader;
  Request request = incoming.reader.take_request();
  identify(incoming, request);
  const std::string path = request.path;
  const bool with_body = request.method != "HEAD";

  const auto slot = std::make_shared<AnswerSlot>(hub_.queue(), hub_.unsent_bytes(), this->weak_from_this());
  std::optional<Answer> given;
  {
    const Hub::Unanswered unanswered(hub_);
    hub_.handle(std::make_shared<LiveExchange>(std::move(request), slot));
    if (slot->wait()) {
      co_await watch(*slot);
      if (!slot->settled() || abandoned_) {
        slot->leave();
        co_return false;
      }
    }
    given = slot->take();
  }
  if (!given) {
    given.emplace(Answer{.response = hub_.error(status::kInternalError, path, "the request was dropped"),
                         .unsent = UnsentBytes(hub_.unsent_bytes(), 0)});
  }

  const bool close = given->response.close || hub_.finishing() || !reader.keeps_connection();
  const bool old = reader.version() == Version::http_1_0;
  const Persistence persistence = close ? Persistence::close : (old ? Persistence::keep_aloud : Persistence::keep);
  const HeadContext context{.date = hub_.date(), .id = incoming.id, .persistence = persistence};
  const bool sent = co_await send(given->response, with_body, context);
  given.reset();
  if (sent && close) co_await say_goodbye();
  co_return sent && !close;
}

/// Waits for an answer, or for the client's end, which is seen by reading on. A next request that comes meanwhile waits
/// in the buffer; one longer than a head may be ends the watch.
template <class Stream>
boost::asio::awaitable<void> Connection<Stream>::watch(const AnswerSlot& slot) {
  const size_t most = hub_.limits().header_bytes;
  while (!ended() && !slot.settled()) {
    const bool watches = buffer_.size() < most;
    if (watches && buffer_.size() == 0) start_reading(kReadBytes);
    if (watches) read_ahead(std::min(kReadBytes, most - buffer_.size()));
    const auto woken = [&] { return read_failed_ || slot.settled() || (watches && !reading_); };
    (void)co_await wait_until(woken, Clock::time_point::max());
  }
}

/// Answers what the server finds wrong itself, and ends the connection. @return false
template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::refuse(Incoming& incoming, Fault fault) {
  return refuse(incoming, hub_.error(fault.status, incoming.reader.request().path, fault.message));
}

/// Answers a request that is not read to its end, and ends the connection. @return false
template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::refuse(Incoming& incoming, Response response) {
  const bool with_body = incoming.reader.take_request().method != "HEAD";  // what was read of its body goes
  if (incoming.id.empty()) incoming.id = hub_.new_id();
  const HeadContext context{.date = hub_.date(), .id = incoming.id, .persistence = Persistence::close};
  const bool sent = co_await send(response, with_body, context);
  if (sent) co_await say_goodbye();
  co_return false;
}

template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::send(const Response& response, bool with_body,
                                                      const HeadContext& context) {
  head_ = response_head(response, context);
  const bool sends_body = with_body && status_has_body(response.status);
  const bool sent = co_await write(head_, sends_body ? std::string_view(response.body) : std::string_view());
  if (!sent && !abandoned_) reset();
  co_return sent;
}

/// @return false: the client did not take it
template <class Stream>
boost::asio::awaitable<bool> Connection<Stream>::write(std::string_view head, std::string_view body) {
  constexpr size_t kBytesOfDeadline = size_t{1} << 20;
  size_t since_deadline = 0;
  auto deadline = Clock::now() + hub_.limits().write_time;
  while (!head.empty() || !body.empty()) {
    const std::array<boost::asio::const_buffer, 2> rest{boost::asio::buffer(head.data(), head.size()),
                                                        boost::asio::buffer(body.data(), body.size())};
    if (const auto bytes = write_at_once(stream_, rest)) {
      written_ = *bytes;
    } else {
      writing_ = true;
      stream_.async_write_some(rest, [this, self = this->shared_from_this()](Code error, size_t bytes_taken) {
        writing_ = false;
        written_ = bytes_taken;
        if (error) write_failed_ = true;
        wake();
      });
      const bool in_time = co_await wait_until([this] { return !writing_; }, deadline);
      if (!in_time || write_failed_) co_return false;
    }
    const size_t of_head = std::min(written_, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(written_ - of_head);
    since_deadline += written_;
    if (since_deadline >= kBytesOfDeadline) {
      since_deadline = 0;
      deadline = Clock::now() + hub_.limits().write_time;
    }
  }
  co_return true;
}

/// Ends sending, and discards for a short while what the client still sends: a socket closed with unread bytes is
/// reset, and the client would lose its answer.
template <class Stream>
boost::asio::awaitable<void> Connection<Stream>::say_goodbye() {
  const auto begin = Clock::now();
  if constexpr (kIsTls<Stream>) {
    changing_tls_ = true;
    stream_.async_shutdown([this, self = this->shared_from_this()](Code) {
      changing_tls_ = false;
      wake();
    });
    (void)co_await wait_until([this] { return !changing_tls_; }, begin + kLingerAtEnd);
  }
  Code failed;
  socket_of(stream_).shutdown(boost::asio::socket_base::shutdown_send, failed);
  scratch_.resize(kReadBytes);
  while (!failed && !ended()) {
    if (!discarding_) {
      discarding_ = true;
      socket_of(stream_).async_read_some(boost::asio::buffer(scratch_),
                                         [this, self = this->shared_from_this()](Code error, size_t) {
                                           discarding_ = false;
                                           if (error) read_failed_ = true;
                                           wake();
                                         });
    }
    const bool finishing = hub_.finishing();
    const auto woken = [this, finishing] { return !discarding_ || hub_.finishing() != finishing; };
    const bool in_time = co_await wait_until(woken, begin + (finishing ? kLingerAtEnd : kLinger));
    if (!in_time) break;
  }
}

/// Serves a client on the server's loop.
template <class Stream>
void start_connection(Hub& hub, Stream stream, Arrival arrival) {
  const auto connection = std::make_shared<Connection<Stream>>(hub, std::move(stream), std::move(arrival));
  boost::asio::co_spawn(
      hub.loop(), [connection] { return connection->serve(); },
      [&hub, connection](std::exception_ptr error) {
        if (!error) return;
        hub.report(error);
        connection->abandon();
      });
}

}  // namespace summand::serve::http
