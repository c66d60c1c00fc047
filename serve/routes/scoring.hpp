#pragma once

#include <memory>

#include "serve/routes/call.hpp"

// Routes of models with a sequence classification head.
namespace summand::serve::routes {

/// POST /predict, as text-embeddings-inference's: the labels of texts and pairs.
void predict(const std::shared_ptr<Call>& call);
/// POST /rerank, likewise. Beside its fields: `top_n`, `model`.
void rerank(const std::shared_ptr<Call>& call);
/// POST /v1/rerank, as Cohere's.
void cohere_rerank_1(const std::shared_ptr<Call>& call);
/// POST /v2/rerank, as Cohere's.
void cohere_rerank_2(const std::shared_ptr<Call>& call);

}  // namespace summand::serve::routes
