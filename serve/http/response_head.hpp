#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "serve/http/exchange.hpp"

namespace summand::serve::http {

/// What the connection decides of an answer.
enum class Persistence {
  keep,        ///< HTTP/1.1's default: no field says so
  keep_aloud,  ///< for a client of HTTP/1.0 that asked for it
  close,
};

/// What stands in an answer's head beside the answer's own fields.
struct HeadContext {
  std::string_view date;  ///< of http_date()
  std::string_view id;
  Persistence persistence = Persistence::keep;
};

/// Whether an answer of this status has a body: not 1xx, 204 and 304 (RFC 9110, section 6.4.1).
[[nodiscard]] bool status_has_body(unsigned status);

/// The status line and the fields, with the empty line that ends them. Line ends within a field become spaces, so that
/// no text of a client's makes a field of its own.
[[nodiscard]] std::string response_head(const Response& response, const HeadContext& context);

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7), whatever the locale.
[[nodiscard]] std::string http_date(std::time_t time);

}  // namespace summand::serve::http
