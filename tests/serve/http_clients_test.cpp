#include <doctest/doctest.h>
#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "serve/http/open_files.hpp"
#include "serve/raw_client.hpp"
#include "serve/running_server.hpp"
#include "support/sanitized.hpp"

namespace http = summand::serve::http;
using namespace summand::test;
using std::chrono::milliseconds;

namespace {

using Shared = std::shared_ptr<http::Exchange>;
constexpr milliseconds kShort{500};  // and long enough for a request on a busy machine

/// Keeps exchanges until a test answers them.
class Desk {
 public:
  http::Handler handler() {
    return [this](const Shared& exchange) {
      exchange->on_gone([this] { ++gone_; });
      const std::lock_guard lock(mutex_);
      waiting_.push_back(exchange);
      ++seen_;
      arrived_.notify_all();
    };
  }
  Shared next() {
    std::unique_lock lock(mutex_);
    const bool came = arrived_.wait_for(lock, std::chrono::seconds(60), [this] { return !waiting_.empty(); });
    REQUIRE(came);
    Shared exchange = waiting_.front();
    waiting_.pop_front();
    return exchange;
  }
  [[nodiscard]] int gone() const { return gone_; }
  [[nodiscard]] int seen() const { return seen_; }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Shared> waiting_;
  std::atomic<int> gone_ = 0;
  std::atomic<int> seen_ = 0;
};

}  // namespace

TEST_CASE("a request whose fields or body come too slowly gives 408, others are served meanwhile") {
  RunningServer server(echo, any_port({.header_time = kShort, .body_time = kShort}));
  RawClient quick(server.port());
  for (const std::string& begin : {std::string("G"), std::string("GET /slow HTTP/1.1\r\nHost: here\r\n"),
                                   "POST /slow HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\n\r\na" + std::string()}) {
    RawClient slow(server.port());
    CHECK(slow.send(begin));
    CHECK(quick.ask(get("/quick")).status == 200);
    CHECK(slow.answer().status == 408);
    CHECK(slow.ends());
  }
}

TEST_CASE("bytes that keep coming do not move a deadline") {
  RunningServer server(echo, any_port({.header_time = kShort}));
  RawClient slow(server.port());
  std::atomic<bool> answered = false;
  std::thread dripping([&] {
    CHECK(slow.send("GET / HTTP/1.1\r\nA: "));
    while (!answered && slow.send("a")) std::this_thread::sleep_for(milliseconds(5));
  });
  CHECK(slow.answer().status == 408);
  answered = true;
  dripping.join();
}

TEST_CASE("an idle connection is closed without a word, before its first request and after one") {
  RunningServer server(echo, any_port({.idle = kShort}));
  RawClient silent(server.port());
  RawClient served(server.port());
  CHECK(served.ask(get("/")).status == 200);
  CHECK(served.send("\r\n"));
  CHECK(silent.ends());
  CHECK(served.ends());
  CHECK(comes_true([&] { return server->counts().connections == 0; }));
}

TEST_CASE("an exchange that is worked on for long has no deadline") {
  const auto limits = http::Limits{.idle = kShort, .header_time = kShort, .body_time = kShort, .write_time = kShort};
  Desk desk;
  RunningServer server(desk.handler(), any_port(limits));
  RawClient client(server.port());
  CHECK(client.send(get("/")));
  const auto exchange = desk.next();
  std::this_thread::sleep_for(2 * kShort);
  exchange->respond({.body = "late"});
  CHECK(client.answer().body == "late");
}

TEST_CASE("a client that does not take its answer is cut off, and holds nobody") {
  RunningServer server(
      [](const Shared& exchange) {
        exchange->respond({.body = std::string(exchange->request().path == "/large" ? size_t{50} << 20 : 1, 'a')});
      },
      any_port({.write_time = kShort}));
  RawClient slow(server.port());
  slow.receive_little();
  CHECK(slow.send(get("/large")));
  RawClient quick(server.port());
  CHECK(quick.ask(get("/small")).body == "a");
  CHECK(comes_true([&] { return server->counts().connections == 1; }));
  CHECK(quick.ask(get("/small")).body == "a");
  CHECK(slow.answer().status == 0);
}

TEST_CASE("bytes of answers count until they are written whole or dropped") {
  constexpr size_t kBytes = size_t{50} << 20;
  Desk desk;
  RunningServer server(desk.handler(), any_port({.write_time = 4 * kShort}));
  const auto unsent = [&] { return server->counts().unsent_bytes; };
  RawClient takes(server.port());
  RawClient never_takes(server.port());
  never_takes.receive_little();
  RawClient goes(server.port());
  for (RawClient* client : {&takes, &never_takes}) {
    CHECK(client->send(get("/")));
    desk.next()->respond({.body = std::string(kBytes, 'a')});
  }
  CHECK(unsent() == 2 * kBytes);
  CHECK(takes.answer().body.size() == kBytes);
  CHECK(comes_true([&] { return unsent() == kBytes; }));
  CHECK(comes_true([&] { return unsent() == 0; }));  // it was cut off
  CHECK(goes.send(get("/")));
  const auto exchange = desk.next();
  goes.close();
  CHECK(comes_true([&] { return server->counts().exchanges == 0; }));
  exchange->respond({.body = std::string(kBytes, 'a')});
  CHECK(unsent() == 0);
  CHECK(takes.send("HEAD / HTTP/1.1\r\nHost: here\r\n\r\n"));
  desk.next()->respond({.body = std::string(kBytes, 'a')});
  CHECK(takes.answer("HEAD").status == 200);
  CHECK(comes_true([&] { return unsent() == 0; }));
}

TEST_CASE("a client that takes 50 MB slowly gets them whole") {
  std::string body(size_t{50} << 20, '\0');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761U >> 13);
  RunningServer server([&](const Shared& exchange) { exchange->respond({.body = body}); });
  RawClient client(server.port());
  CHECK(client.send(get("/")));
  std::this_thread::sleep_for(kShort);
  CHECK(client.answer().body == body);
  CHECK(client.ask(get("/")).body == body);
}

TEST_CASE("a client that closes, half or whole, or resets its connection is gone, and an answer then has no effect") {
  Desk desk;
  RunningServer server(desk.handler());
  for (int way = 0; way < 3; ++way) {
    const int gone = desk.gone();
    RawClient client(server.port());
    CHECK(client.send(post("/", "body")));
    const auto exchange = desk.next();
    CHECK(desk.gone() == gone);
    CHECK(server->counts().exchanges == 1);
    if (way == 0) client.close();
    if (way == 1) client.end_sending();
    if (way == 2) client.reset();
    CHECK(comes_true([&] { return desk.gone() == gone + 1; }));
    CHECK(comes_true([&] { return server->counts().connections == 0 && server->counts().exchanges == 0; }));
    exchange->respond({.body = "too late"});
    CHECK(exchange->request().body == "body");
    if (way == 1) CHECK(client.ends());
  }
}

TEST_CASE("who asks only after the client has gone is told at once") {
  std::mutex mutex;
  Shared kept;
  RunningServer server([&](const Shared& exchange) {
    const std::lock_guard lock(mutex);
    kept = exchange;
  });
  RawClient client(server.port());
  CHECK(client.send(get("/")));
  CHECK(comes_true([&] { return server->counts().exchanges == 1; }));
  client.close();
  CHECK(comes_true([&] { return server->counts().exchanges == 0; }));
  bool told = false;
  const std::lock_guard lock(mutex);
  kept->on_gone([&] { told = true; });
  CHECK(told);
}

TEST_CASE("a client that goes away is gone, whatever it sent behind its request") {
  Desk desk;
  RunningServer server(desk.handler());
  const std::string half = get("/2").substr(0, 10);
  for (const std::string& behind :
       {std::string("\r\n"), std::string("\r\n\r\n\r"), half, get("/2"), get("/2") + half}) {
    for (const bool apart : {false, true}) {
      const int gone = desk.gone();
      RawClient client(server.port());
      CHECK(client.send(post("/1", "body") + (apart ? "" : behind)));
      const auto exchange = desk.next();
      for (const char byte : apart ? behind : "") CHECK(client.send({&byte, 1}));
      CHECK(desk.gone() == gone);
      client.close();
      CHECK(comes_true([&] { return desk.gone() == gone + 1 && server->counts().connections == 0; }));
    }
  }
  CHECK(desk.seen() == 10);
}

TEST_CASE("requests that come while another is answered follow it, however they are cut") {
  Desk desk;
  RunningServer server(desk.handler());
  RawClient client(server.port());
  constexpr int kRequests = 30;
  CHECK(client.send(get("/0")));
  std::thread sending([&] {
    std::string all;
    for (int i = 1; i < kRequests; ++i) {
      all += "\r\n" + post("/" + std::to_string(i), std::string(static_cast<size_t>(i * 100), 'x'));
    }
    for (size_t begin = 0; begin < all.size(); begin += 61) CHECK(client.send(all.substr(begin, 61)));
  });
  for (int i = 0; i < kRequests; ++i) {
    const auto exchange = desk.next();
    std::this_thread::sleep_for(milliseconds(2));
    CHECK(exchange->request().body.size() == static_cast<size_t>(i * 100));
    exchange->respond({.body = exchange->request().path});
  }
  sending.join();
  for (int i = 0; i < kRequests; ++i) CHECK(client.answer().body == "/" + std::to_string(i));
}

TEST_CASE("bytes behind a request are read up to a bound, and the rest once it is answered") {
  Desk desk;
  RunningServer server(desk.handler());
  RawClient client(server.port());
  const std::string body(size_t{1} << 20, 'x');
  std::thread sending([&] { CHECK(client.send(get("/1") + post("/2", body))); });
  const auto first = desk.next();
  std::this_thread::sleep_for(kShort);
  first->respond({.body = "1"});
  CHECK(client.answer().body == "1");
  const auto second = desk.next();
  CHECK(second->request().body == body);
  second->respond({.body = "2"});
  CHECK(client.answer().body == "2");
  sending.join();
}

TEST_CASE("finish() answers what is outstanding once, closes what is idle, serves newcomers, and ends run()") {
  Desk desk;
  RunningServer server(desk.handler());
  RawClient idle(server.port());
  std::deque<RawClient> clients;
  std::vector<Shared> exchanges;
  for (int i = 0; i < 10; ++i) {
    CHECK(clients.emplace_back(server.port()).send(get("/" + std::to_string(i))));
    exchanges.push_back(desk.next());
  }
  server->finish(std::chrono::seconds(60));
  CHECK(idle.ends());
  RawClient late(server.port());
  CHECK(late.send(get("/late")));
  desk.next()->respond({.status = 503});
  const auto refused = late.answer();
  CHECK(refused.status == 503);
  CHECK(refused.field("Connection") == "close");
  CHECK(late.ends());
  CHECK(server->counts().exchanges == 10);
  for (const auto& exchange : exchanges) exchange->respond({.body = exchange->request().path});
  for (int i = 0; i < 10; ++i) {
    auto& client = clients[static_cast<size_t>(i)];
    const auto answer = client.answer();
    CHECK(answer.body == "/" + std::to_string(i));
    CHECK(answer.field("Connection") == "close");
    CHECK(client.ends());
    client.close();
  }
  server.join();
  CHECK(desk.gone() == 0);
}

TEST_CASE("finish() answers requests that are on their way on connections that were idle") {
  constexpr size_t kClients = 40;
  RunningServer server(echo);
  std::deque<RawClient> clients;
  for (size_t i = 0; i < kClients; ++i) {
    // A connection that was never used, and one that was.
    CHECK(clients.emplace_back(server.port()).send(i % 2 == 0 ? get("/first") : ""));
    if (i % 2 == 0) CHECK(clients.back().answer().status == 200);
  }
  CHECK(comes_true([&] { return server->counts().connections == kClients; }));
  // Half of the requests are sent before the server hears of the end, half behind it.
  for (size_t i = 0; i < kClients / 2; ++i) CHECK(clients[i].send(get("/early")));
  server->finish(std::chrono::seconds(60));
  for (size_t i = kClients / 2; i < kClients; ++i) CHECK(clients[i].send(get("/late")));
  for (size_t i = 0; i < kClients; ++i) {
    const auto answer = clients[i].answer();
    CHECK(answer.body == (i < kClients / 2 ? "GET /early?\n" : "GET /late?\n"));
    // One that was answered before the end came goes on, and is closed then.
    if (i >= kClients / 2) CHECK(answer.field("Connection") == "close");
    CHECK(clients[i].ends());
  }
  clients.clear();
  server.join();
}

TEST_CASE("finish() reads on what is being received, and closes what is idle meanwhile") {
  RunningServer server(echo);
  RawClient in_head(server.port());
  RawClient in_body(server.port());
  RawClient idle(server.port());
  CHECK(in_head.send("GET /head HTTP/1.1\r\nHo"));
  CHECK(in_body.send("POST /body HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbo"));
  CHECK(RawClient(server.port()).ask(get("/")).status == 200);  // by now the others were read
  server->finish(std::chrono::seconds(60));
  CHECK(idle.ends());
  RawClient silent(server.port());
  CHECK(silent.ends());
  CHECK(in_head.ask("st: here\r\n\r\n").body == "GET /head?\n");
  CHECK(in_head.ends());
  const auto answer = in_body.ask("dy");
  CHECK(answer.body == "POST /body?\nbody");
  CHECK(answer.field("Connection") == "close");
  CHECK(in_body.ends());
  in_head.close();
  in_body.close();
  server.join();
}

TEST_CASE("finish() ends run() once its last client has gone, and after the time that it is given") {
  {
    RunningServer server(echo);
    RawClient idle(server.port());
    CHECK(idle.ask(get("/")).status == 200);
    server->finish(std::chrono::seconds(60));
    idle.close();
    server.join();
  }
  RunningServer server(echo);
  RawClient half(server.port());
  CHECK(half.send("GET / HT"));
  CHECK(RawClient(server.port()).ask(get("/")).status == 200);
  const auto begin = std::chrono::steady_clock::now();
  server->finish(milliseconds(20));
  server.join();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));  // and not a head's ten
  CHECK(half.ends());
}

TEST_CASE("finish() waits for an answer to be written whole") {
  Desk desk;
  RunningServer server(desk.handler());
  RawClient client(server.port());
  CHECK(client.send(get("/")));
  const auto exchange = desk.next();
  server->finish(std::chrono::seconds(60));
  exchange->respond({.body = std::string(size_t{20} << 20, 'a')});
  std::this_thread::sleep_for(kShort);
  CHECK(client.answer().body.size() == size_t{20} << 20);
  client.close();
  server.join();
}

TEST_CASE("finish() gives up after its time, and stop() at once; those who wait see their connection closed") {
  for (const bool by_stop : {false, true}) {
    Desk desk;
    RunningServer server(desk.handler());
    RawClient client(server.port());
    CHECK(client.send(get("/")));
    const auto exchange = desk.next();
    if (by_stop) {
      server->stop();
    } else {
      server->finish(kShort);
    }
    server.join();
    CHECK(client.ends());
    CHECK(desk.gone() == 1);
    CHECK(server->counts().connections == 0);
    exchange->respond({});
  }
}

TEST_CASE("finish() with nothing to do ends run() at once, and so does stop() before run()") {
  {
    RunningServer server(echo);
    server->finish(std::chrono::seconds(60));
    server.join();
  }
  http::Server server(any_port(), echo, error_body);
  server.stop();
  server.run();
}

TEST_CASE("600 connections at once are served by turns, and one too many is told so") {
  constexpr size_t kClients = 600;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 2 * kClients + 300) return;  // both ends are here
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, 2 * kClients + 300);
  ::setrlimit(RLIMIT_NOFILE, &files);
  RunningServer server(echo, any_port({.connections = kClients}));
  std::deque<RawClient> clients;
  for (size_t i = 0; i < kClients; ++i) clients.emplace_back(server.port());
  for (int turn = 0; turn < 3; ++turn) {
    for (auto& client : clients) CHECK(client.send(post("/", "x")));
    for (auto& client : clients) CHECK(client.answer().body == "POST /?\nx");
  }
  CHECK(server->counts().connections == kClients);
  RawClient one_more(server.port());
  CHECK(one_more.ask(get("/")).status == 503);
  CHECK(one_more.ends());
  clients.pop_back();
  CHECK(comes_true([&] { return RawClient(server.port()).ask(get("/")).status == 200; }));
}

TEST_CASE("answers from many threads to many connections all arrive, each at its own") {
  constexpr size_t kClients = 32;
  constexpr int kRequests = kSanitized ? 30 : 200;
  Desk desk;
  RunningServer server(desk.handler());
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::atomic<size_t> left = kClients * kRequests;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (true) {
        Shared exchange;
        {
          const std::lock_guard lock(mutex);
          if (left == 0) return;
          --left;
          exchange = desk.next();
        }
        exchange->respond({.body = exchange->request().path});
      }
    });
  }
  std::deque<RawClient> clients;
  for (size_t i = 0; i < kClients; ++i) clients.emplace_back(server.port());
  for (int request = 0; request < kRequests; ++request) {
    const auto path = [&](size_t client) { return "/" + std::to_string(client) + "/" + std::to_string(request); };
    for (size_t i = 0; i < kClients; ++i) CHECK(clients[i].send(get(path(i))));
    for (size_t i = 0; i < kClients; ++i) CHECK(clients[i].answer().body == path(i));
  }
  for (auto& thread : threads) thread.join();
  CHECK(desk.gone() == 0);
}

TEST_CASE("running out of files ends nothing: who comes meanwhile waits") {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  RunningServer server(echo, any_port({.connections = 100}));
  RawClient client(server.port());
  CHECK(client.ask(get("/")).status == 200);
  RawClient waits(RawClient::Unconnected{});
  rlimit none = before;
  none.rlim_cur = 3;
  ::setrlimit(RLIMIT_NOFILE, &none);
  waits.connect(server.port());
  CHECK(waits.send(get("/")));
  std::this_thread::sleep_for(kShort);
  CHECK(client.ask(get("/")).status == 200);
  CHECK(server->counts().connections == 1);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(waits.answer().status == 200);
}

TEST_CASE("more connections than the system has files for are refused, with the number that it has") {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max == RLIM_INFINITY) return;
  CHECK_THROWS_AS(http::Server(any_port({.connections = files.rlim_max}), echo, error_body), summand::UsageError);
  const size_t most = http::most_connections();
  CHECK(most < files.rlim_max);
  CHECK_NOTHROW(http::Server(any_port({.connections = most}), echo, error_body));
  CHECK_THROWS_AS(http::Server(any_port({.connections = most + 1}), echo, error_body), summand::UsageError);
}
