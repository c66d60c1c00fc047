#pragma once

#include <memory>

#include "serve/routes/call.hpp"

// Routes about the server and its models.
namespace summand::serve::routes {

/// GET /info, as text-embeddings-inference's, of the first model.
void info(const std::shared_ptr<Call>& call);
/// GET /health, /ping: 200 without a body, or 503 while draining.
void health(const std::shared_ptr<Call>& call);
/// GET /metrics, in Prometheus's text format.
void metrics(const std::shared_ptr<Call>& call);
/// GET /v1/models, as OpenAI's.
void models(const std::shared_ptr<Call>& call);
/// GET /v1/models/{name}
void model(const std::shared_ptr<Call>& call);

}  // namespace summand::serve::routes
