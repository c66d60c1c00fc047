#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "serve/routes/call.hpp"
#include "serve/work/jobs.hpp"

namespace summand::serve {

using Rows = std::vector<std::vector<float>>;

/// @throws Refused if the model has no such head; why is for its owner, not for clients
void require_head(const ServedModel& model, model::Head head);

/// Computes the vectors of sequences, or takes them from the store, and goes on with `then`, on some thread. If the
/// worker refuses, a computation fails or the client goes away, the call is answered or dropped, and `then` not called.
/// @param then  gets one vector for each sequence; what it throws becomes the answer
void compute_vectors(const std::shared_ptr<Call>& call, ServedModel& model,
                     const std::shared_ptr<const api::Embedder>& embedder, std::vector<api::Sequence> sequences,
                     std::function<void(Rows)> then);

/// Likewise what sequences contribute to the labels of their texts, for api::logits_of_texts().
/// @throws Refused if the model has no such head
void compute_labels(const std::shared_ptr<Call>& call, ServedModel& model, std::vector<api::Sequence> sequences,
                    std::function<void(Rows)> then);

/// Runs pieces of other work on the worker's thread, each as a part of a batch, then `then`.
/// @param tokens  of each piece
void compute_pieces(const std::shared_ptr<Call>& call, ServedModel& model, std::vector<size_t> tokens,
                    std::function<void(size_t piece)> run, std::function<void()> then);

}  // namespace summand::serve
