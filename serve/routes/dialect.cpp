#include "serve/routes/dialect.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace summand::serve {

namespace {

using Json = nlohmann::ordered_json;

/// Source: OpenAI's API reference, "Error codes", and what its servers answer for embeddings.
const char* openai_type(Fault fault) {
  switch (fault) {
    case Fault::overloaded:
      return "rate_limit_exceeded";
    case Fault::backend:
    case Fault::internal:
    case Fault::unavailable:
      return "server_error";
    default:
      return "invalid_request_error";
  }
}

Json openai_code(const Refused& refused) {
  switch (refused.fault) {
    case Fault::unauthorized:
      return "invalid_api_key";
    case Fault::overloaded:
      return "rate_limit_exceeded";
    case Fault::not_found:
      return refused.field == "model" ? Json("model_not_found") : Json("unknown_url");
    default:
      return nullptr;
  }
}

/// OpenAI has no 422 and no 424.
unsigned openai_status(Fault fault) {
  switch (fault) {
    case Fault::validation:
    case Fault::tokenizer:
    case Fault::other_model:
      return 400;
    case Fault::backend:
      return 500;
    default:
      return status_of(fault);
  }
}

/// A message may quote bytes of a request that are not UTF-8.
std::string written(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

unsigned status_of(Fault fault) {
  switch (fault) {
    case Fault::malformed:
    case Fault::empty:
      return 400;
    case Fault::unauthorized:
      return 401;
    case Fault::not_found:
      return 404;
    case Fault::not_allowed:
      return 405;
    case Fault::too_large:
      return 413;
    case Fault::validation:
    case Fault::tokenizer:
      return 422;
    case Fault::other_model:
    case Fault::backend:
      return 424;
    case Fault::overloaded:
      return 429;
    case Fault::internal:
      return 500;
    case Fault::unavailable:
      return 503;
  }
  __builtin_unreachable();
}

const char* error_type(Fault fault) {
  switch (fault) {
    case Fault::empty:
      return "Empty";
    case Fault::malformed:
    case Fault::too_large:
    case Fault::not_found:
    case Fault::not_allowed:
    case Fault::validation:
      return "Validation";
    case Fault::unauthorized:
      return "Unauthorized";
    case Fault::tokenizer:
      return "Tokenizer";
    case Fault::other_model:
    case Fault::backend:
    case Fault::internal:
      return "Backend";
    case Fault::overloaded:
      return "Overloaded";
    case Fault::unavailable:
      return "Unhealthy";
  }
  __builtin_unreachable();
}

http::Response error_response(Dialect dialect, const Refused& refused) {
  http::Response response{.status = status_of(refused.fault)};
  switch (dialect) {
    case Dialect::native:
      response.body = written({{"error", refused.message}, {"error_type", error_type(refused.fault)}});
      break;
    case Dialect::openai:
      response.status = openai_status(refused.fault);
      response.body = written({{"error",
                                {{"message", refused.message},
                                 {"type", openai_type(refused.fault)},
                                 {"param", refused.field.empty() ? Json(nullptr) : Json(refused.field)},
                                 {"code", openai_code(refused)}}}});
      break;
    case Dialect::cohere:
      response.body = written({{"message", refused.message}});
      break;
  }
  if (refused.retry_after) {
    response.headers.emplace_back("Retry-After",
                                  std::to_string(std::max(1L, std::lround(std::ceil(*refused.retry_after)))));
  }
  if (!refused.allowed.empty()) response.headers.emplace_back("Allow", refused.allowed);
  if (refused.fault == Fault::unauthorized) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace summand::serve
