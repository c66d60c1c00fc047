#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/exchange.hpp"

namespace summand::serve::http {

/// Where a server listens.
struct Address {
  std::string host = "127.0.0.1";          ///< a numeric address
  unsigned short port = 8080;              ///< 0: any that is free
  std::filesystem::path unix_socket = {};  ///< if not empty, this socket instead; replaced where one is left over

  /// @param text  "127.0.0.1:8080", "[::1]:8080", "8080" (of 127.0.0.1) or "unix:/run/summand.sock"
  /// @throws UsageError naming what is wrong with it
  [[nodiscard]] static Address parse(std::string_view text);
};
/// As Address::parse() reads it.
[[nodiscard]] std::string address_text(const Address& address);

/// PEM files.
struct Tls {
  std::filesystem::path certificate;  ///< the chain, the server's own first
  std::filesystem::path key;
};

/// What a client may ask of a connection.
struct Limits {
  size_t connections = 2048;                      ///< at once; one more is answered 503 and closed
  size_t header_bytes = 16 << 10;                 ///< of the request line and all fields: 431
  size_t body_bytes = size_t{32} << 20;           ///< 413
  size_t receiving_bytes = size_t{256} << 20;     ///< of bodies being received, together; beyond it large ones get 503
  std::chrono::milliseconds idle{75'000};         ///< between requests
  std::chrono::milliseconds header_time{10'000};  ///< from a request's first byte to the end of its fields: 408
  std::chrono::milliseconds body_time{60'000};    ///< to read the body: 408
  std::chrono::milliseconds write_time{60'000};   ///< to take the answer, or its next MiB
};

struct ServerOptions {
  std::vector<Address> addresses{Address()};
  std::optional<Tls> tls = {};  ///< of the TCP addresses
  Limits limits = {};
  /// Told, on the server's thread, of errors within the server or its handler; if empty, standard error is.
  std::function<void(const std::string& line)> on_error = {};
  /// Asked, on the server's thread, before a body is read that has not come with its head: an answer refuses the
  /// request, and its body is neither asked for (100 Continue) nor kept. The request's body is empty.
  std::function<std::optional<Response>(const Request&)> refuse_early = {};
};

/// Called for each request, on the server's thread: must not block. It answers through the exchange, now or later.
using Handler = std::function<void(std::shared_ptr<Exchange>)>;

/// What an error that the server finds itself looks like, before there is an exchange: a malformed request (400), too
/// large (413, 431), too slow (408), too many connections or too many bytes at once (503).
/// @param path  of the target, where it was read
/// @param message  one line
using ErrorBody = std::function<Response(unsigned status, std::string_view path, std::string_view message)>;

/// How a server is used.
struct ServerCounts {
  size_t connections = 0;   ///< open
  size_t exchanges = 0;     ///< not answered yet
  size_t unsent_bytes = 0;  ///< of the bodies of answers that were given and are neither written whole nor dropped
};

/// An HTTP/1.1 server: keep-alive, pipelined requests one after the other, TLS, TCP and Unix sockets.
///
/// Thread-safety: members may be called from any thread; run() from one.
class Server {
 public:
  /// Binds and listens.
  /// @throws IoError naming the address or the file and the system's reason
  /// @throws UsageError if the system allows fewer connections than asked for
  Server(ServerOptions options, Handler handler, ErrorBody error_body);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// Where it really listens: the ports in the place of 0.
  [[nodiscard]] const std::vector<Address>& addresses() const;

  /// Serves, on the calling thread, until finish() or stop().
  void run();
  /// From now on each answer closes its connection. Idle connections are kept for half a second, in which requests
  /// that are on their way arrive, and closed then. run() returns once no request is being received or answered, every
  /// answer was written and no idle connection is kept, or after `most`. Connections are still accepted until then, and
  /// their requests passed to the handler, which refuses them.
  void finish(std::chrono::milliseconds most);
  /// run() returns at once.
  void stop();

  [[nodiscard]] ServerCounts counts() const;  ///< reads a few atomics

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace summand::serve::http
