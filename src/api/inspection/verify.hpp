#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "summand/verify.hpp"

namespace summand::api {

using summand::VerifiedState;
using summand::VerifyReport;

/// A model for the engine and for the reference, and the heads it has.
struct VerifyInput {
  const engine::Engine& engine;
  const model::Config& config;
  const model::Weights& weights;
  const model::ModelParts& parts;
  const engine::WindowEncoder* window_encoder = nullptr;  ///< null: the model has none
};

/// Runs a batch through the engine and through the reference in double and in single precision. Masked-language logits
/// are compared for at most 16 tokens of a text. A transformer over windows gets a text's first tokens as windows.
/// Takes about a second for ten tokens of bert-base.
/// @param batch  no empty texts
/// @throws TextError if the batch does not fit the model
[[nodiscard]] VerifyReport verify(const VerifyInput& input, const model::Batch& batch);

/// The same for a loaded model and texts; empty texts are skipped. Without texts it uses its own: words, a pair,
/// unknown words and Chinese, an empty text, a text at the model's last positions, a paragraph.
[[nodiscard]] VerifyReport verify(const LoadedModel& model, const TextList& texts, const LengthOptions& length = {});

}  // namespace summand::api
