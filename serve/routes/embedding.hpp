#pragma once

#include <memory>

#include "serve/routes/call.hpp"

// Routes that answer with sentence vectors.
namespace summand::serve::routes {

/// POST /embed, as text-embeddings-inference's. Beside its fields: `prompt`, `encoding_format`, `on_error`, `model`.
void embed(const std::shared_ptr<Call>& call);
/// POST /v1/embeddings and /embeddings, as OpenAI's.
void openai_embeddings(const std::shared_ptr<Call>& call);
/// POST /similarity: cosines of one text with others.
void similarity(const std::shared_ptr<Call>& call);

}  // namespace summand::serve::routes
