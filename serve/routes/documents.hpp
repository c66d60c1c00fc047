#pragma once

#include <memory>

#include "serve/routes/call.hpp"

// Routes that answer with files that come with the program.
namespace summand::serve::routes {

/// GET /openapi.json: OpenAPI 3.1 of all routes.
void openapi(const std::shared_ptr<Call>& call);
/// GET /docs: the same, to read.
void docs(const std::shared_ptr<Call>& call);

}  // namespace summand::serve::routes
