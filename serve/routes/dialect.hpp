#pragma once

#include "serve/http/exchange.hpp"
#include "serve/routes/refused.hpp"

namespace summand::serve {

/// Whose form errors have.
enum class Dialect {
  native,  ///< text-embeddings-inference: {"error": "…", "error_type": "Validation"}
  openai,  ///< {"error": {"message", "type", "param", "code"}}
  cohere,  ///< {"message": "…"}
};

/// The answer to a request that is refused, with Retry-After where there is one.
[[nodiscard]] http::Response error_response(Dialect dialect, const Refused& refused);

/// The name of a fault in the native dialect: "Validation".
[[nodiscard]] const char* error_type(Fault fault);

}  // namespace summand::serve
