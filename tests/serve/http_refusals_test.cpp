#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "serve/raw_client.hpp"
#include "serve/running_server.hpp"

namespace http = summand::serve::http;
using namespace summand::test;
using namespace std::string_literals;

namespace {

const std::string kPost = "POST /p HTTP/1.1\r\nHost: here\r\n";
const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";

/// What two programs could read in two ways, or not at all: each must be answered 400, once, and its connection closed.
const std::vector<std::string> kAmbiguous{
    // RFC 9112, section 6.3: where the body ends.
    kPost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    kPost + "Transfer-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc",
    kPost + "Transfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    kPost + "Content-Length: 3\r\nA: b\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    kPost + "Content-Length: 3\r\nA: b\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    kPost + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    kPost + "Content-Length: 0\r\nContent-Length: 3\r\n\r\nabc",
    kPost + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    kPost + "Content-Length: 3, 3\r\n\r\nabc",
    kPost + "Content-Length: 3, 4\r\n\r\nabc",
    kPost + "Content-Length: +3\r\n\r\nabc",
    kPost + "Content-Length: -3\r\n\r\nabc",
    kPost + "Content-Length: 0x3\r\n\r\nabc",
    kPost + "Content-Length: 3 3\r\n\r\nabc",
    kPost + "Content-Length: 3.0\r\n\r\nabc",
    kPost + "Content-Length: 3\0\r\n\r\nabc"s,
    kPost + "Content-Length: 3,\r\n\r\nabc",
    kPost + "Content-Length:\r\n\r\nabc",
    kPost + "Content-Length: 18446744073709551616\r\n\r\nabc",
    kPost + "Content-Length: 99999999999999999999999999\r\n\r\nabc",
    // Section 6.1: codings.
    kPost + "Transfer-Encoding: gzip\r\n\r\n",
    kPost + "Transfer-Encoding: identity\r\n\r\n",
    kPost + "Transfer-Encoding:\r\n\r\n",
    kPost + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked\0\r\n\r\n0\r\n\r\n"s,
    kPost + "Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n",
    kPost +
        "Transfer-Encoding: \x0b"
        "chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.0\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    // Section 3.2: for whom it is.
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
    "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n",
    "GET http://here/ HTTP/1.1\r\n\r\n",
    "GET http:// HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http:///a HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http://?a HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http://:80/ HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http://user@here/ HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http://here#a HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http://here\"/ HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http:/here/ HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET http:here HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET ftp://here/ HTTP/1.1\r\nHost: here\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: here\r\n\r\n",
    "CONNECT here:80 HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET a HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET /a#b HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET /\xC3\xA9 HTTP/1.1\r\nHost: here\r\n\r\n",
    // Section 2.2 and 3: the request line.
    "GET /\r\n\r\n",
    "GET / HTTP/1.1\nHost: here\n\n",
    "GET / HTTP/1.1\r\nHost: here\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\n\n",
    "GET / HTTP/1.1\r\nHost: here\r\n\rX\n\r\n",
    "GET  / HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET /  HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET / HTTP/1.1 \r\nHost: here\r\n\r\n",
    "GET\t/ HTTP/1.1\r\nHost: here\r\n\r\n",
    " GET / HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET /a b HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET /\0 HTTP/1.1\r\nHost: here\r\n\r\n"s,
    "G@T / HTTP/1.1\r\nHost: here\r\n\r\n",
    "GET / HTTP/1.2\r\nHost: here\r\n\r\n",
    "GET / HTTP/2.0\r\nHost: here\r\n\r\n",
    "GET / HTTP/0.9\r\nHost: here\r\n\r\n",
    "GET / http/1.1\r\nHost: here\r\n\r\n",
    "GET / HTTP/1.10\r\nHost: here\r\n\r\n",
    "\r\r\nGET / HTTP/1.1\r\nHost: here\r\n\r\n",
    "\r\n\nGET / HTTP/1.1\r\nHost: here\r\n\r\n",
    "\nGET / HTTP/1.1\r\nHost: here\r\n\r\n",
    "\x16\x03\x01\x02",  // TLS where none is spoken
    // Section 5: fields.
    "GET / HTTP/1.1\r\n Host: here\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : here\r\n\r\n",
    "GET / HTTP/1.1\r\nHost\t: here\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\n: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA b: c\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA\xC3\xA9: c\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA\0: c\r\n\r\n"s,
    "GET / HTTP/1.1\r\nHost: here\r\nA: b\r\n c\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA: b\r\n\tc\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA:\r\n c\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA: b\r\n \r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA:\r\n \r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA: b\rc\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA: b\nc: d\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA: b\r\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nA: \0\r\n\r\n"s,
    "GET / HTTP/1.1\r\nHost: here\r\nA: \x7F\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: here\r\nConnection: close keep-alive\r\n\r\n",
    // Section 7.1: chunks.
    kChunked + "g\r\n",
    kChunked + "\r\n",
    kChunked + " 3\r\nabc\r\n0\r\n\r\n",
    kChunked + "3 \r\nabc\r\n0\r\n\r\n",
    kChunked + "-3\r\nabc\r\n0\r\n\r\n",
    kChunked + "+3\r\nabc\r\n0\r\n\r\n",
    kChunked + "0x3\r\nabc\r\n0\r\n\r\n",
    kChunked + "3\nabc\r\n0\r\n\r\n",
    kChunked + "3\rabc\r\n0\r\n\r\n",
    kChunked + "3\r\nabcd\r\n0\r\n\r\n",
    kChunked + "3\r\nabc0\r\n\r\n",
    kChunked + "3\r\nabc\n0\r\n\r\n",
    kChunked + "10000000000000003\r\nabc\r\n0\r\n\r\n",
    kChunked + "fffffffffffffffff\r\nabc\r\n0\r\n\r\n",
    kChunked + "3;a\nb\r\nabc\r\n0\r\n\r\n",
    kChunked + "3;a=\"\n\"\r\nabc\r\n0\r\n\r\n",
    kChunked + "3;a=\"\r\nabc\r\n0\r\n\r\n",
    kChunked + "3;a=\"b\\\"\r\nabc\r\n0\r\n\r\n",
    kChunked + "3\r\nabc\r\n3;a=\"\r\nabc\"\r\n0\r\n\r\n",
    kChunked + "0;a=\"\r\n\r\n",
    kChunked + "3;a\rb\r\nabc\r\n0\r\n\r\n",
    kChunked + "3;a\0\r\nabc\r\n0\r\n\r\n"s,
    kChunked + "3\0\r\nabc\r\n0\r\n\r\n"s,
    kChunked + "3\r\nabc\r\n0;a\nb\r\n\r\n",
    kChunked + "3;" + std::string(300, 'a') + "\r\nabc\r\n0\r\n\r\n",
    kChunked + "0\r\nA : b\r\n\r\n",
    kChunked + "0\r\nA: b\r\n c\r\n\r\n",
    kChunked + "0\r\nA: b\nc\r\n\r\n",
    kChunked + "0\r\nContent-Length: 3\r\n\r\n",
    kChunked + "0\r\nTransfer-Encoding: chunked\r\n\r\n",
};

}  // namespace

TEST_CASE("what can be read in two ways is refused with 400, and nothing behind it is read") {
  std::atomic<int> handled = 0;
  RunningServer server([&](const std::shared_ptr<http::Exchange>& exchange) {
    ++handled;
    echo(exchange);
  });
  for (const std::string& request : kAmbiguous) {
    CAPTURE(request);
    RawClient client(server.port());
    const auto answer = client.ask(request + get("/smuggled"));
    CHECK(answer.status == 400);
    CHECK(answer.body.starts_with("400 "));
    CHECK(answer.field("Connection") == "close");
    CHECK(client.ends());
  }
  CHECK(handled == 0);
}

TEST_CASE("the same bytes, one at a time, are refused too") {
  RunningServer server(echo);
  for (const std::string& request : kAmbiguous) {
    CAPTURE(request);
    RawClient client(server.port());
    for (const char byte : request + get("/smuggled")) {
      if (!client.send({&byte, 1})) break;
    }
    CHECK(client.answer().status == 400);
    CHECK(client.ends());
  }
}

TEST_CASE("requests that look odd and mean one thing are served") {
  RunningServer server(echo);
  RawClient client(server.port());
  CHECK(client.ask("\r\n" + get("/a")).body == "GET /a?\n");
  CHECK(client.ask("\r\n\r\n\r\n" + get("/a")).body == "GET /a?\n");
  CHECK(client.ask("GET /a HTTP/1.1\r\nhOST:\r\n\r\n").status == 200);
  CHECK(client.ask("GET /a HTTP/1.1\r\nHost: [::1]:80\r\n\r\n").status == 200);
  CHECK(client.ask(get("/a", "A:b\r\nB:   \r\nC: \xC3\xA9\r\n")).status == 200);
  CHECK(client.ask(kPost + "content-length: 0003\r\n\r\nabc").body == "POST /p?\nabc");
  CHECK(
      client.ask(kPost + "TRANSFER-encoding: CHUNKED\r\n\r\n3;a=b;c=\"d e\"\r\nabc\r\n00a\r\n0123456789\r\n000\r\n\r\n")
          .body == "POST /p?\nabc0123456789");
  CHECK(client.ask("GET //a/../b?c=%00&d HTTP/1.1\r\nHost: a\r\n\r\n").body == "GET //a/../b?c=%00&d\n");
  CHECK(client.ask(get("/last")).body == "GET /last?\n");
}

TEST_CASE("a target may have a scheme and a host; these count in the place of Host") {
  RunningServer server([](const std::shared_ptr<http::Exchange>& exchange) {
    const auto& request = exchange->request();
    exchange->respond({.body = request.path + "?" + request.query + " of " + std::string(request.header("Host"))});
  });
  RawClient client(server.port());
  const auto asked = [&](const std::string& target, const std::string& version = "1.1\r\nHost: here") {
    return client.ask("GET " + target + " HTTP/" + version + "\r\nConnection: keep-alive\r\n\r\n").body;
  };
  CHECK(asked("http://there/health") == "/health? of there");
  CHECK(asked("hTTpS://There:8080/a/b?c=http://d/") == "/a/b?c=http://d/ of There:8080");
  CHECK(asked("http://there") == "/? of there");
  CHECK(asked("http://[::1]:80?q") == "/?q of [::1]:80");
  CHECK(asked("http://there//a") == "//a? of there");
  CHECK(asked("/http://there/") == "/http://there/? of here");
  CHECK(asked("http://there/", "1.0") == "/? of there");
}

TEST_CASE("what follows a body is the next request, and no request is read inside a body") {
  RunningServer server(echo);
  const std::string inner = get("/inner");
  const std::string length = "Content-Length: " + std::to_string(inner.size()) + "\r\n\r\n";
  RawClient client(server.port());
  CHECK(client.ask(kPost + length + inner + get("/next")).body == "POST /p?\n" + inner);
  CHECK(client.answer().body == "GET /next?\n");
  CHECK(client.ask(kChunked + "f\r\n0\r\n\r\nGET / HTTP\r\n0\r\n\r\n" + get("/next")).body ==
        "POST /p?\n0\r\n\r\nGET / HTTP");
  CHECK(client.answer().body == "GET /next?\n");
  // A method without a use for a body has one all the same.
  CHECK(client.ask("GET /a HTTP/1.1\r\nHost: here\r\n" + length + inner).body == "GET /a?\n" + inner);
  // Longer than it says: the rest is read as a request, and is none.
  CHECK(client.ask(kPost + "Content-Length: 3\r\n\r\nabc{}" + get("/smuggled")).body == "POST /p?\nabc");
  CHECK(client.answer().status == 400);
  CHECK(client.ends());
}

TEST_CASE("a field behind the last chunk is never one of the request's") {
  RunningServer server([](const std::shared_ptr<http::Exchange>& exchange) {
    exchange->respond({.body = std::string(exchange->request().header("Authorization")) + exchange->request().body});
  });
  RawClient client(server.port());
  const std::string end = "1\r\na\r\n0\r\nAuthorization: me\r\nConnection: close\r\nHost: there\r\n\r\n";
  CHECK(client.ask(kChunked + end).body == "a");
  CHECK(client.ask(kChunked + end).body == "a");
}

TEST_CASE("a body in chunks may come in pieces of any size") {
  RunningServer server(echo);
  const std::string request = kChunked + "1\r\na\r\n2;x\r\nbc\r\n0\r\nA: b\r\n\r\n" + kChunked + "0\r\n\r\n";
  for (size_t piece = 1; piece < request.size(); ++piece) {
    RawClient client(server.port());
    for (size_t begin = 0; begin < request.size(); begin += piece) CHECK(client.send(request.substr(begin, piece)));
    CHECK(client.answer().body == "POST /p?\nabc");
    CHECK(client.answer().body == "POST /p?\n");
  }
}

TEST_CASE("a header over the limit gives 431, one at the limit is served") {
  constexpr size_t kMost = 1024;
  RunningServer server(echo, any_port({.header_bytes = kMost}));
  const size_t fixed = get("/", "A: \r\n").size();
  const auto of_size = [&](size_t bytes) { return get("/", "A: " + std::string(bytes - fixed, 'a') + "\r\n"); };
  CHECK(RawClient(server.port()).ask(of_size(kMost)).status == 200);
  for (const std::string& request : {of_size(kMost + 1), of_size(kMost * 100), "GET /" + std::string(kMost, 'a'),
                                     kChunked + "0\r\nA: " + std::string(kMost, 'a') + "\r\n\r\n",
                                     kChunked + "0\r\nA: " + std::string(kMost, 'a')}) {
    RawClient client(server.port());
    CHECK(client.ask(request).status == 431);
    CHECK(client.ends());
  }
}

TEST_CASE("a body over the limit gives 413, before it is read where its length is known") {
  constexpr size_t kMost = 1000;
  RunningServer server(echo, any_port({.body_bytes = kMost}));
  CHECK(RawClient(server.port()).ask(post("/p", std::string(kMost, 'a'))).status == 200);
  const std::string chunk = "1f4\r\n" + std::string(500, 'a') + "\r\n";
  CHECK(RawClient(server.port()).ask(kChunked + chunk + chunk + "0\r\n\r\n").status == 200);
  for (const std::string& request :
       {kPost + "Content-Length: 1001\r\n\r\n", kPost + "Content-Length: 9999999999999\r\n\r\n", kChunked + "3e9\r\n",
        kChunked + chunk + chunk + "1\r\n", kPost + "Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n"}) {
    RawClient client(server.port());
    const auto answer = client.ask(request);
    CHECK(answer.status == 413);
    CHECK(answer.body.starts_with("413 /p: "));
    CHECK(client.ends());
  }
}

TEST_CASE("a client that goes on sending a refused body still gets its answer") {
  RunningServer server(echo, any_port({.body_bytes = 1000}));
  RawClient client(server.port());
  const auto answer = client.ask(post("/p", std::string(size_t{8} << 20, 'a')));
  CHECK(answer.status == 413);
}

TEST_CASE("a client that expects 100 Continue is told so before it sends its body, and not where it has sent it") {
  RunningServer server(echo);
  RawClient client(server.port());
  const std::string expect = "Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n";
  CHECK(client.ask(kPost + expect).status == 100);
  CHECK(client.ask("abc").body == "POST /p?\nabc");
  CHECK(client.ask(kPost + expect + "abc").body == "POST /p?\nabc");
  CHECK(client.ask(kPost + "Expect: more\r\nContent-Length: 3\r\n\r\n").status == 417);
}

namespace {

/// A 401 to "/closed", counting whom it was asked about.
http::ServerOptions with_early_refusal(std::atomic<int>& asked) {
  auto options = any_port();
  options.refuse_early = [&asked](const http::Request& head) -> std::optional<http::Response> {
    ++asked;
    CHECK(head.body.empty());
    CHECK(head.peer.starts_with("127.0.0.1:"));
    if (head.path != "/closed") return std::nullopt;
    return http::Response{.status = 401, .body = head.id};
  };
  return options;
}

std::string head_of(std::string_view path, std::string_view fields) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: here\r\n" + std::string(fields) + "\r\n";
}

}  // namespace

TEST_CASE("what is refused at its head is answered before its body comes, and its connection ends") {
  std::atomic<int> asked = 0;
  std::atomic<int> handled = 0;
  RunningServer server(
      [&](const std::shared_ptr<http::Exchange>& exchange) {
        ++handled;
        echo(exchange);
      },
      with_early_refusal(asked));
  for (const std::string& fields :
       {std::string("Content-Length: 30000000\r\n"), std::string("Expect: 100-continue\r\nContent-Length: 3\r\n"),
        std::string("Transfer-Encoding: chunked\r\n")}) {
    RawClient client(server.port());
    const auto answer = client.ask(head_of("/closed", fields + "X-Request-Id: mine\r\n"));
    CHECK(answer.status == 401);
    CHECK(answer.body == "mine");
    CHECK(answer.field("X-Request-Id") == "mine");
    CHECK(answer.field("Connection") == "close");
    CHECK(client.ends());
  }
  CHECK(asked == 3);
  CHECK(handled == 0);
}

TEST_CASE("a client that goes on sending what was refused at its head still gets its answer") {
  std::atomic<int> asked = 0;
  RunningServer server(echo, with_early_refusal(asked));
  RawClient client(server.port());
  CHECK(client.ask(post("/closed", std::string(size_t{8} << 20, 'a'))).status == 401);
}

TEST_CASE("a request that came whole is left to its handler, and so is one that is not refused at its head") {
  std::atomic<int> asked = 0;
  RunningServer server(echo, with_early_refusal(asked));
  RawClient client(server.port());
  CHECK(client.ask(get("/closed")).body == "GET /closed?\n");
  CHECK(client.ask(post("/closed", "abc")).body == "POST /closed?\nabc");
  CHECK(asked == 0);
  const std::string body(100'000, 'a');
  CHECK(client.ask(post("/open", body)).body == "POST /open?\n" + body);
  CHECK(asked == 1);
  const auto told = client.ask(head_of("/open", "Expect: 100-continue\r\nContent-Length: 3\r\n"));
  CHECK(told.status == 100);
  CHECK(client.ask("abc").body == "POST /open?\nabc");
}

TEST_CASE("a fault of the function that refuses early gives 500") {
  auto options = any_port();
  options.refuse_early = [](const http::Request&) -> std::optional<http::Response> { throw 1; };
  RunningServer server(echo, options);
  CHECK(RawClient(server.port()).ask(head_of("/", "Content-Length: 3\r\n")).status == 500);
}

TEST_CASE("bodies being received have a bound together: a large one beyond it gets 503, a small one is served") {
  constexpr size_t kMost = size_t{1} << 20;
  constexpr size_t kHeld = 900'000;
  constexpr size_t kLarge = 400'000;
  RunningServer server(echo, any_port({.receiving_bytes = kMost}));
  const std::string large = post("/large", std::string(kLarge, 'a'));
  RawClient holds(server.port());
  const std::string held = post("/held", std::string(kHeld + 1, 'a'));
  CHECK(holds.send(std::string_view(held).substr(0, held.size() - 1)));
  // Until the server has read what is held, there is room.
  CHECK(comes_true([&] {
    RawClient client(server.port());
    return client.ask(head_of("/large", "Expect: 100-continue\r\nContent-Length: 400000\r\n")).status == 503;
  }));
  RawClient client(server.port());
  const auto refused = client.ask(large);
  CHECK(refused.status == 503);
  CHECK(refused.field("Retry-After") == "1");
  CHECK(refused.body.starts_with("503 /large: "));
  CHECK(client.ends());
  {
    RawClient chunks(server.port());
    const std::string chunk = "186a0\r\n" + std::string(100'000, 'a') + "\r\n";
    CHECK(chunks.ask(kChunked + chunk + chunk + chunk).status == 503);
  }
  CHECK(RawClient(server.port()).ask(post("/small", std::string(60'000, 'a'))).status == 200);
  CHECK(holds.ask("a").body.size() == kHeld + 1 + std::string_view("POST /held?\n").size());
  CHECK(RawClient(server.port()).ask(large).status == 200);
}
