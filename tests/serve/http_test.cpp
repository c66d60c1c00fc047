#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "serve/raw_client.hpp"
#include "serve/running_server.hpp"

namespace http = summand::serve::http;
using namespace summand::test;

namespace {

using Shared = std::shared_ptr<http::Exchange>;

/// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "summand-http-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::filesystem::path file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

http::ServerOptions of_unix(const std::filesystem::path& path) {
  auto options = any_port();
  options.addresses = {{.unix_socket = path}};
  return options;
}

}  // namespace

TEST_CASE("a connection serves many requests, whole or byte by byte") {
  RunningServer server(echo);
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    CHECK(client.ask(get("/a?b=c")).body == "GET /a?b=c\n");
    const auto answer = client.ask(post("/p", "some\0thing"));
    CHECK(answer.status == 200);
    CHECK(answer.body == "POST /p?\nsome\0thing");
  }
  for (const char byte : post("/slowly", "body")) CHECK(client.send({&byte, 1}));
  CHECK(client.answer().body == "POST /slowly?\nbody");
  CHECK(server->counts().connections == 1);
}

TEST_CASE("an answer has the fields that RFC 9110 asks for, and the handler's own on one line each") {
  RunningServer server([](const Shared& exchange) {
    exchange->respond({.status = 201, .body = "{}", .headers = {{"X-Own", "one\r\nX-Smuggled: two"}}});
  });
  const auto answer = RawClient(server.port()).ask(get("/"));
  CHECK(answer.head.starts_with("HTTP/1.1 201 Created\r\n"));
  CHECK(answer.field("Content-Type") == "application/json");
  CHECK(answer.field("Content-Length") == "2");
  CHECK(answer.field("Date").ends_with(" GMT"));
  CHECK(answer.field("Connection").empty());
  CHECK(answer.field("X-Own") == "one  X-Smuggled: two");
}

TEST_CASE("a request's id is the client's own if it can be printed, else a new one") {
  RunningServer server([](const Shared& exchange) { exchange->respond({.body = exchange->request().id}); });
  RawClient client(server.port());
  const auto own = client.ask(get("/", "x-request-id: abc 1\r\n"));
  CHECK(own.field("X-Request-Id") == "abc 1");
  CHECK(own.body == "abc 1");
  std::set<std::string> made;
  for (const std::string& field : {std::string(), "X-Request-Id: \xC3\xA9\r\n" + std::string(),
                                   "X-Request-Id: " + std::string(129, 'a') + "\r\n"}) {
    const auto answer = client.ask(get("/", field));
    CHECK(answer.body == answer.field("X-Request-Id"));
    CHECK(answer.body.size() < 40);
    made.insert(answer.body);
  }
  CHECK(made.size() == 3);
}

TEST_CASE("pipelined requests are answered in order, one at a time") {
  std::atomic<int> at_once = 0;
  std::atomic<int> most_at_once = 0;
  std::vector<std::thread> threads;
  {
    RunningServer server([&](const Shared& exchange) {
      most_at_once = std::max(most_at_once.load(), ++at_once);
      threads.emplace_back([&at_once, exchange] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --at_once;
        echo(exchange);
      });
    });
    RawClient client(server.port());
    std::string all;
    for (int i = 0; i < 20; ++i) all += post("/" + std::to_string(i), std::string(static_cast<size_t>(i * 100), 'x'));
    CHECK(client.send(all));
    for (int i = 0; i < 20; ++i) {
      CHECK(client.answer().body ==
            "POST /" + std::to_string(i) + "?\n" + std::string(static_cast<size_t>(i * 100), 'x'));
    }
  }
  for (auto& thread : threads) thread.join();
  CHECK(most_at_once == 1);
}

TEST_CASE("HEAD gets the head of what GET gets, and the next answer follows at once") {
  RunningServer server([](const Shared& exchange) { exchange->respond({.body = "12345"}); });
  RawClient client(server.port());
  CHECK(client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + get("/")));
  const auto head = client.answer("HEAD");
  CHECK(head.status == 200);
  CHECK(head.field("Content-Length") == "5");
  CHECK(client.answer().body == "12345");
}

TEST_CASE("204 and 304 have neither a body nor its length") {
  std::atomic<unsigned> status = 204;
  RunningServer server([&](const Shared& exchange) { exchange->respond({.status = status, .body = "not sent"}); });
  RawClient client(server.port());
  for (const unsigned each : {204U, 304U}) {
    status = each;
    const auto answer = client.ask(get("/"));
    CHECK(answer.status == each);
    CHECK(answer.field("Content-Length").empty());
  }
}

TEST_CASE("methods that nobody knows reach the handler") {
  RunningServer server(echo);
  RawClient client(server.port());
  CHECK(client.ask("BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n").body == "BREW /pot?\n");
  CHECK(client.ask("get /pot HTTP/1.1\r\nHost: x\r\n\r\n").body == "get /pot?\n");
}

TEST_CASE("a connection stays or ends as its request asks") {
  RunningServer server(echo);
  const std::string http_1_0 = "GET / HTTP/1.0\r\n";
  {
    RawClient client(server.port());
    const auto answer = client.ask(get("/", "Connection: close\r\n"));
    CHECK(answer.field("Connection") == "close");
    CHECK(client.ends());
  }
  {
    RawClient client(server.port());
    CHECK(client.ask(http_1_0 + "\r\n").field("Connection") == "close");
    CHECK(client.ends());
  }
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    CHECK(client.ask(http_1_0 + "Connection: keep-alive\r\n\r\n").field("Connection") == "keep-alive");
  }
}

TEST_CASE("an answer may close its connection") {
  RunningServer server([](const Shared& exchange) { exchange->respond({.body = "bye", .close = true}); });
  RawClient client(server.port());
  const auto answer = client.ask(get("/") + get("/never-read"));
  CHECK(answer.field("Connection") == "close");
  CHECK(answer.body == "bye");
  CHECK(client.ends());
}

TEST_CASE("a handler sees the fields in their order, and finds them whatever their case") {
  RunningServer server([](const Shared& exchange) {
    const auto& request = exchange->request();
    std::string all;
    for (const auto& [name, value] : request.headers) all += name + "=" + value + ";";
    exchange->respond({.body = all + std::string(request.header("x-TWICE")) + request.peer.substr(0, 10)});
  });
  const auto answer = RawClient(server.port()).ask(get("/", "X-Twice:  a b\t\r\nX-Empty:\r\nx-twice: c\r\n"));
  CHECK(answer.body == "Host=here;X-Twice=a b;X-Empty=;x-twice=c;a b127.0.0.1:");
}

TEST_CASE("only the first answer counts, whichever thread gives it") {
  std::vector<std::thread> threads;
  {
    RunningServer server([&](const Shared& exchange) {
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([exchange, i] { exchange->respond({.body = std::to_string(i)}); });
      }
    });
    RawClient client(server.port());
    for (int i = 0; i < 50; ++i) CHECK(client.ask(get("/")).body.size() == 1);
    client.end_sending();
    CHECK(client.ends());
  }
  for (auto& thread : threads) thread.join();
}

TEST_CASE("an exchange that is dropped, and a handler that throws, give 500 and leave the connection") {
  std::mutex mutex;
  std::vector<std::string> lines;
  auto options = any_port();
  options.on_error = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  };
  RunningServer server(
      [](const Shared& exchange) {
        if (exchange->request().path == "/throw") throw std::runtime_error("thrown\nhere");
        if (exchange->request().path == "/throw-int") throw 1;
      },
      options);
  RawClient client(server.port());
  for (const char* path : {"/drop", "/throw", "/throw-int", "/drop"}) {
    const auto answer = client.ask(get(path));
    CHECK(answer.status == 500);
    CHECK(answer.body.starts_with("500 " + std::string(path) + ": "));
  }
  const std::lock_guard lock(mutex);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "thrown\\x0ahere");
}

TEST_CASE("a body can be kept, and an exchange may outlive its answer and its server") {
  Shared kept;
  std::string body;
  {
    RunningServer server([&](const Shared& exchange) {
      kept = exchange;
      body = exchange->take_body();
      exchange->respond({.body = std::to_string(exchange->request().body.size())});
    });
    CHECK(RawClient(server.port()).ask(post("/", "to keep")).body == "0");
  }
  CHECK(body == "to keep");
  CHECK(kept->request().path == "/");
  kept->respond({});
  kept->on_gone([] { FAIL("it was answered"); });
}

TEST_CASE("a Unix socket is served, replaced where it is stale, refused where it is not, and removed at the end") {
  const TemporaryFolder folder;
  const auto path = folder.file("socket");
  {
    RunningServer server([](const Shared& exchange) { exchange->respond({.body = exchange->request().peer}); },
                         of_unix(path));
    CHECK(RawClient(path.string()).ask(get("/")).body == "unix");
    CHECK_THROWS_AS(http::Server(of_unix(path), echo, error_body), summand::IoError);
    CHECK(RawClient(path.string()).ask(get("/")).body == "unix");
  }
  CHECK_FALSE(std::filesystem::exists(path));
  {
    RunningServer gone(echo, of_unix(path));
    std::filesystem::rename(path, folder.file("stale"));
  }
  RunningServer server(echo, of_unix(folder.file("stale")));
  CHECK(RawClient(folder.file("stale").string()).ask(get("/")).status == 200);
  std::ofstream(folder.file("file")) << "kept";
  CHECK_THROWS_AS(http::Server(of_unix(folder.file("file")), echo, error_body), summand::IoError);
  CHECK(std::filesystem::file_size(folder.file("file")) == 4);
}

TEST_CASE("no socket of the server's is left to programs that are started") {
  const TemporaryFolder folder;
  auto options = any_port();
  options.addresses.push_back({.unix_socket = folder.file("socket")});
  RunningServer server(echo, options);
  RawClient client(server.port());
  RawClient local(folder.file("socket").string());
  CHECK(client.ask(get("/")).status == 200);
  CHECK(local.ask(get("/")).status == 200);
  size_t sockets = 0;
  for (int descriptor = 3; descriptor < 1024; ++descriptor) {  // behind those that the test was given
    struct stat kind {};
    if (::fstat(descriptor, &kind) != 0 || !S_ISSOCK(kind.st_mode)) continue;
    ++sockets;
    CAPTURE(descriptor);
    CHECK((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK(sockets >= 6);  // two that listen, two that were accepted, two of the clients
}

TEST_CASE("several addresses are served; one that is taken is named") {
  auto options = any_port();
  options.addresses.push_back({.host = "::1", .port = 0});
  std::unique_ptr<RunningServer> server;
  try {
    server = std::make_unique<RunningServer>(echo, options);
  } catch (const summand::IoError& error) {
    MESSAGE("no IPv6 here: " << error.what());
    options.addresses.pop_back();
    server = std::make_unique<RunningServer>(echo, options);
  }
  for (const auto& address : (*server)->addresses()) CHECK(address.port != 0);
  auto taken = any_port();
  taken.addresses = {{.port = server->port()}};
  const std::string expected = "[127.0.0.1:" + std::to_string(server->port()) +
                               "] expected a free address, got one in use; --listen takes another";
  CHECK_THROWS_WITH_AS(http::Server(taken, echo, error_body), expected.c_str(), summand::IoError);
}

TEST_CASE("addresses are read as they are written") {
  const auto read = [](const char* text) {
    const auto address = http::Address::parse(text);
    return address.host + "|" + std::to_string(address.port) + "|" + address.unix_socket.string();
  };
  CHECK(read("8080") == "127.0.0.1|8080|");
  CHECK(read("localhost:90") == "127.0.0.1|90|");
  CHECK(read("0.0.0.0:1") == "0.0.0.0|1|");
  CHECK(read("[::1]:65535") == "::1|65535|");
  CHECK(read("unix:/run/a.sock") == "127.0.0.1|8080|/run/a.sock");
  for (const char* wrong : {"", ":", "somewhere:80", "::1:80", "[::1]", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536",
                            "1.2.3.4:-1", "1.2.3.4:8x", "unix:", ":80", "[]:80"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS((void)http::Address::parse(wrong), summand::UsageError);
  }
}
