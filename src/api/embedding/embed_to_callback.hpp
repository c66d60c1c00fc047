#pragma once

#include "api/embedding/embedder.hpp"
#include "summand/embeddings.hpp"

namespace summand::api {

/// Implements Model::embed_stream.
StreamReport embed_to_callback(const Embedder& embedder, const NextText& next, const TakeEmbeddings& take,
                               const StreamOptions& options);

}  // namespace summand::api
