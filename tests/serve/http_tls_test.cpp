#include <doctest/doctest.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/error.hpp"
#include "serve/raw_client.hpp"
#include "serve/running_server.hpp"

namespace http = summand::serve::http;
using namespace summand::test;
using std::chrono::milliseconds;

namespace {

using Shared = std::shared_ptr<http::Exchange>;
constexpr milliseconds kShort{500};  // and long enough for a request on a busy machine

/// A certificate and its key, made once for all tests of this file.
class Certificate {
 public:
  Certificate() {
    std::string pattern = (std::filesystem::temp_directory_path() / "summand-tls-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    make("");
    make("other_");
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }

 private:
  void make(const std::string& begin) const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "
        "/CN=localhost -keyout " +
        file(begin + "key.pem").string() + " -out " + file(begin + "cert.pem").string() + " >/dev/null 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
  }
  std::filesystem::path folder_;
};

const Certificate& certificate() {
  static const Certificate made;
  return made;
}

http::ServerOptions with_tls(http::Limits limits = {}) {
  auto options = any_port(limits);
  options.tls = http::Tls{.certificate = certificate().file("cert.pem"), .key = certificate().file("key.pem")};
  return options;
}

struct Free {
  void operator()(SSL* ssl) const { ::SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
  void operator()(SSL_SESSION* session) const { ::SSL_SESSION_free(session); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

class TlsClient final : public RawClient {
 public:
  explicit TlsClient(unsigned short port, int version = TLS1_3_VERSION, SSL_SESSION* session = nullptr)
      : RawClient(port), context_(::SSL_CTX_new(::TLS_client_method())) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to closed sockets
    ::SSL_CTX_set_min_proto_version(context_.get(), version);
    ::SSL_CTX_set_max_proto_version(context_.get(), version);
    ::SSL_CTX_set_security_level(context_.get(), 0);  // or it would not even offer TLS 1.1
    ssl_.reset(::SSL_new(context_.get()));
    ::SSL_set_fd(ssl_.get(), descriptor());
    if (session != nullptr) ::SSL_set_session(ssl_.get(), session);
    connected_ = ::SSL_connect(ssl_.get()) == 1;
  }

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] bool resumed() const { return ::SSL_session_reused(ssl_.get()) == 1; }
  [[nodiscard]] Owned<SSL_SESSION> session() const { return Owned<SSL_SESSION>(::SSL_get1_session(ssl_.get())); }
  /// Whether the server has said that it ends, as a cut connection does not.
  [[nodiscard]] bool ended_properly() const { return (::SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  void say_goodbye() { ::SSL_shutdown(ssl_.get()); }

 private:
  long read_some(char* bytes, size_t most) override { return ::SSL_read(ssl_.get(), bytes, static_cast<int>(most)); }
  long write_some(const char* bytes, size_t size) override {
    constexpr size_t kMost = size_t{1} << 20;
    return ::SSL_write(ssl_.get(), bytes, static_cast<int>(std::min(size, kMost)));
  }

  Owned<SSL_CTX> context_;
  Owned<SSL> ssl_;
  bool connected_ = false;
};

}  // namespace

TEST_CASE("TLS 1.2 and 1.3 are served and end properly; TLS 1.1 is refused") {
  RunningServer server(echo, with_tls());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server.port(), version);
    REQUIRE(client.connected());
    CHECK(client.ask(post("/a", "b")).body == "POST /a?\nb");
    CHECK(client.send(get("/1") + get("/2")));
    CHECK(client.answer().body == "GET /1?\n");
    CHECK(client.answer().body == "GET /2?\n");
    CHECK(client.ask(get("/", "Connection: close\r\n")).status == 200);
    CHECK(client.ends());
    CHECK(client.ended_properly());
  }
  CHECK_FALSE(TlsClient(server.port(), TLS1_1_VERSION).connected());
}

TEST_CASE("a session is resumed") {
  RunningServer server(echo, with_tls());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Owned<SSL_SESSION> session;
    {
      TlsClient first(server.port(), version);
      CHECK(first.ask(get("/")).status == 200);
      CHECK_FALSE(first.resumed());
      session = first.session();
      first.say_goodbye();  // or OpenSSL takes the session for a broken one
    }
    TlsClient second(server.port(), version, session.get());
    CHECK(second.resumed());
    CHECK(second.ask(get("/")).status == 200);
  }
}

TEST_CASE("a large body and a large answer pass through TLS whole") {
  RunningServer server(echo, with_tls());
  std::string body(size_t{20} << 20, '\0');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761U >> 13);
  TlsClient client(server.port());
  CHECK(client.ask(post("/", body)).body == "POST /?\n" + body);
  CHECK(client.ask(get("/")).status == 200);
}

TEST_CASE("a client of TLS that goes, with a word or without one, is gone") {
  std::atomic<int> gone = 0;
  std::mutex mutex;
  std::vector<Shared> kept;
  RunningServer server(
      [&](const Shared& exchange) {
        exchange->on_gone([&] { ++gone; });
        const std::lock_guard lock(mutex);
        kept.push_back(exchange);
      },
      with_tls());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const bool with_a_word : {true, false}) {
      const int before = gone;
      TlsClient client(server.port(), version);
      CHECK(client.send(get("/")));
      CHECK(comes_true([&] { return server->counts().exchanges == 1; }));
      if (with_a_word) {
        client.say_goodbye();
      } else {
        client.reset();
      }
      CHECK(comes_true([&] { return gone == before + 1 && server->counts().connections == 0; }));
    }
  }
  const std::lock_guard lock(mutex);
  kept.clear();
}

TEST_CASE("answers from another thread arrive while TLS is watched") {
  std::vector<std::thread> threads;
  {
    RunningServer server(
        [&](const Shared& exchange) {
          threads.emplace_back([exchange] {
            std::this_thread::sleep_for(milliseconds(2));
            echo(exchange);
          });
        },
        with_tls());
    TlsClient client(server.port());
    for (int i = 0; i < 20; ++i)
      CHECK(client.ask(post("/", std::to_string(i))).body == "POST /?\n" + std::to_string(i));
  }
  for (auto& thread : threads) thread.join();
}

TEST_CASE("who speaks no TLS, or too slowly, is cut off, and holds nobody") {
  RunningServer server(echo, with_tls({.header_time = 4 * kShort}));
  RawClient silent(server.port());
  RawClient plain(server.port());
  CHECK(plain.send(get("/")));
  TlsClient slow(server.port());
  CHECK(slow.send("GET / HT"));
  TlsClient client(server.port());
  CHECK(client.ask(get("/")).status == 200);
  CHECK(slow.answer().status == 408);
  CHECK(slow.ends());
  CHECK(plain.answer().status == 0);
  CHECK(silent.ends());
  CHECK(client.ask(get("/")).status == 200);
}

TEST_CASE("a refused body leaves its answer whole in TLS too") {
  RunningServer server(echo, with_tls({.body_bytes = 1000}));
  for (int i = 0; i < 5; ++i) {
    TlsClient client(server.port());
    CHECK(client.send(post("/", std::string(200'000, 'a')).substr(0, 1000)));
    CHECK(client.answer().status == 413);
    CHECK(client.ends());
  }
}

TEST_CASE("finish() ends connections of TLS") {
  RunningServer server(echo, with_tls());
  TlsClient client(server.port());
  CHECK(client.ask(get("/")).status == 200);
  TlsClient silent(server.port());
  server->finish(std::chrono::seconds(60));
  server.join();
  CHECK(client.ends());
  CHECK(silent.ends());
}

TEST_CASE("a certificate or a key that cannot be used is named") {
  const auto make = [](const char* cert, const char* key) {
    auto options = any_port();
    options.tls = http::Tls{.certificate = certificate().file(cert), .key = certificate().file(key)};
    return http::Server(options, echo, error_body).addresses().size();
  };
  std::ofstream(certificate().file("empty.pem")) << "";
  const auto message = [&](const char* cert, const char* key) -> std::string {
    try {
      (void)make(cert, key);
    } catch (const summand::IoError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(make("cert.pem", "key.pem") == 1);
  CHECK(message("absent.pem", "key.pem").find("absent.pem] No such file") != std::string::npos);
  CHECK(message("empty.pem", "key.pem").find("empty.pem] ") != std::string::npos);
  CHECK(message("cert.pem", "absent.pem").find("absent.pem] No such file") != std::string::npos);
  const auto openssl = [](const std::string& command) { return std::system((command + " 2>/dev/null").c_str()) == 0; };
  const std::string key = certificate().file("key.pem").string();
  const std::string locked = certificate().file("locked.pem").string();
  const std::string locked_ec = certificate().file("locked_ec.pem").string();
  const std::string rsa = certificate().file("rsa.pem").string();
  REQUIRE(openssl("openssl pkcs8 -topk8 -in " + key + " -passout pass:word -out " + locked));
  REQUIRE(openssl("openssl ec -aes128 -in " + key + " -passout pass:word -out " + locked_ec));
  REQUIRE(openssl("openssl genrsa -out " + rsa + " 2048"));
  std::ofstream(certificate().file("garbage.pem")) << "no key at all\n";
  std::ofstream(certificate().file("cut.pem")) << "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  std::filesystem::create_directory(certificate().file("folder"));
  const auto says = [&](const std::string& file, const std::string& what) {
    return "[" + certificate().file(file).string() + "] expected " + what;
  };
  const std::string a_key = "a private key, PEM, without a password, got ";
  CHECK(message("cert.pem", "locked.pem") == says("locked.pem", a_key + "one with a password"));
  CHECK(message("cert.pem", "locked_ec.pem") == says("locked_ec.pem", a_key + "one with a password"));
  CHECK(message("cert.pem", "garbage.pem") == says("garbage.pem", a_key + "something else"));
  CHECK(message("cert.pem", "empty.pem") == says("empty.pem", a_key + "an empty file"));
  CHECK(message("cert.pem", "folder") == says("folder", a_key + "a folder"));
  CHECK(message("cert.pem", "cut.pem") == says("cut.pem", a_key + "one that OpenSSL cannot read"));
  CHECK(message("cert.pem", "cert.pem") == says("cert.pem", a_key + "a certificate"));
  CHECK(message("cert.pem", "/dev/null") == "[/dev/null] expected " + a_key + "an empty file");
  CHECK(message("folder", "key.pem") == says("folder", "a certificate chain, PEM, got a folder"));
  CHECK(message("garbage.pem", "key.pem") == says("garbage.pem", "a certificate chain, PEM, got something else"));
  const std::string anothers = "the key of " + certificate().file("cert.pem").string() + ", got another one's";
  CHECK(message("cert.pem", "other_key.pem") == says("other_key.pem", anothers));
  CHECK(message("cert.pem", "rsa.pem") == says("rsa.pem", anothers));
}
