#pragma once

#include <string_view>
#include <vector>

#include "serve/http/exchange.hpp"

namespace summand::serve::http {

// What a request must satisfy beyond the grammar that Beast's parser knows. Whatever two programs could read in two
// ways is refused: a proxy in front may have read it in the other one.

/// Whether two names of fields are the same; ASCII letters in either case.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);

enum class Version { http_1_0, http_1_1 };

/// What is wrong with a request; status 0: nothing.
struct Fault {
  unsigned status = 0;
  std::string_view message = {};  ///< one line, a literal

  [[nodiscard]] explicit operator bool() const { return status != 0; }
};

/// The parts of a request's target.
struct Target {
  std::string_view authority;  ///< host and port of the absolute form; empty: the target is a path
  std::string_view path;
  std::string_view query;
};

/// A target is a path, with a query or without (RFC 9112, section 3.2.1), or the same behind "http://host" or
/// "https://host" (section 3.2.2), where the path may be missing: "/".
[[nodiscard]] Target split_target(std::string_view target);

/// "*" and "host:port" are refused, other schemes, user information, and what no URI has: a fragment, quotes, bytes
/// that are not ASCII.
[[nodiscard]] Fault check_target(std::string_view target);

/// Host once in HTTP/1.1 (RFC 9112, section 3.2); one Content-Length of digits or one Transfer-Encoding "chunked",
/// never both (sections 6.1 to 6.3); no other expectation than 100-continue (RFC 9110, section 10.1.1).
[[nodiscard]] Fault check_fields(Version version, const std::vector<Header>& headers);

/// What stands behind the size of a chunk must be short and printable: a line end hidden there has misled proxies.
[[nodiscard]] Fault check_chunk_extension(std::string_view extension);

/// The line with a chunk's size, once it has ended, must not leave a quoted string open: Beast seeks its end in the
/// lines behind, takes the size from what the body may still have each time that it looks again, and never sees the
/// chunk.
/// @param bytes  from the end of the chunk before
[[nodiscard]] Fault check_chunk_line(std::string_view bytes);

/// Whether a client's X-Request-Id is kept: 1 to 128 printable ASCII characters.
[[nodiscard]] bool is_request_id(std::string_view value);

}  // namespace summand::serve::http
