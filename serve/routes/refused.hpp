#pragma once

#include <optional>
#include <string>
#include <utility>

namespace summand::serve {

/// What kind of fault a request has. Source: text-embeddings-inference, router/src/http/types.rs, ErrorType
enum class Fault {
  malformed,     ///< not HTTP's or JSON's form: 400
  empty,         ///< nothing to compute: 400
  unauthorized,  ///< no key, or a wrong one: 401
  not_found,     ///< no such route or model: 404
  not_allowed,   ///< another method: 405
  too_large,     ///< more bytes than are taken: 413
  validation,    ///< a field that cannot be used: 422
  tokenizer,     ///< a text that cannot be encoded: 422
  other_model,   ///< the model is of another kind: 424
  backend,       ///< what came out is no number: 424
  overloaded,    ///< too much waits, or too many requests of a key: 429
  internal,      ///< ours: 500
  unavailable,   ///< draining or not ready: 503
};

/// The status of its answer.
[[nodiscard]] unsigned status_of(Fault fault);

/// Thrown for a request that cannot be answered as asked.
struct Refused {
  Fault fault = Fault::validation;
  std::string message;                     ///< one line
  std::string field = {};                  ///< the field that is wrong: "inputs[3]"
  std::optional<double> retry_after = {};  ///< seconds
  std::string allowed = {};                ///< methods, of Fault::not_allowed
};

}  // namespace summand::serve
