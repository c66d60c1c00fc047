#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace summand::serve::http {

/// A header field: name and value.
using Header = std::pair<std::string, std::string>;

/// A request, read whole.
struct Request {
  std::string method;           ///< "GET", "POST", … as sent
  std::string path;             ///< of the target, without the query, as sent
  std::string query;            ///< what follows "?", without it
  std::vector<Header> headers;  ///< in the order sent
  std::string body;             ///< any bytes
  std::string id;               ///< X-Request-Id as sent if it is 1 to 128 printable ASCII characters, else a new one
  std::string peer;             ///< address of the client: "127.0.0.1:40000", "unix"

  /// The first field of this name, whatever its case; empty if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// An answer. Content-Length, Connection, Date and X-Request-Id are added to it.
struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<Header> headers = {};
  bool close = false;  ///< whether to close the connection behind it
};

/// A request and the way to answer it, once.
///
/// Thread-safety: members may be called from any thread.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  [[nodiscard]] virtual const Request& request() const = 0;
  /// The body, to keep: request().body is empty afterwards. At most once, before respond().
  [[nodiscard]] virtual std::string take_body() = 0;
  /// Sends the answer. Only the first call has an effect, and none where the client has gone.
  virtual void respond(Response response) = 0;
  /// Calls `f` if the client goes away before it is answered; at once if it has gone. At most once an exchange; `f`
  /// must not block, nor own this exchange.
  virtual void on_gone(std::function<void()> f) = 0;
};

}  // namespace summand::serve::http
