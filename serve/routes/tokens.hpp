#pragma once

#include <memory>

#include "serve/routes/call.hpp"

// Routes about tokens.
namespace summand::serve::routes {

/// POST /tokenize, as text-embeddings-inference's. Nothing is cut; start and stop count bytes.
void tokenize(const std::shared_ptr<Call>& call);
/// POST /decode, likewise.
void decode(const std::shared_ptr<Call>& call);
/// POST /embed_all: the last hidden state of every token.
void embed_all(const std::shared_ptr<Call>& call);
/// POST /hidden: hidden states of chosen layers, with tokens and pooled output.
void hidden(const std::shared_ptr<Call>& call);
/// POST /fill_mask, as Hugging Face's inference API: the likeliest tokens for each mask.
void fill_mask(const std::shared_ptr<Call>& call);
/// POST /tag, likewise token classification. start and end count characters.
void tag(const std::shared_ptr<Call>& call);

}  // namespace summand::serve::routes
