#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/loaded_model.hpp"

namespace summand::api {

/// What an engine in single precision may differ from exact arithmetic by, at least: a few roundings of numbers around
/// one, summed over the layers.
inline constexpr double kVerifyTolerance = 2e-5;

/// How many times the error of the plain reference in single precision the engine's may be: both round, in another
/// order.
inline constexpr double kVerifyFactor = 4;

/// One hidden state, the pooled output or one head's logits, over all texts. What is not a number counts as infinitely
/// far away.
struct VerifiedState {
  std::string name;      ///< "hidden 3", "pooled", "masked language"
  double magnitude = 0;  ///< largest, by the reference in double precision
  double engine = 0;     ///< largest difference of the engine from the reference in double
  double reference = 0;  ///< largest difference of the reference in single precision from the one in double

  [[nodiscard]] double allowed() const;
  [[nodiscard]] bool agrees() const { return engine <= allowed(); }
};

struct VerifyReport {
  size_t texts = 0;
  size_t tokens = 0;
  std::vector<VerifiedState> states;  ///< in the order in which they are computed

  [[nodiscard]] bool agrees() const;
  /// One sentence: the largest difference, or the first state that does not agree.
  [[nodiscard]] std::string verdict() const;
};

/// A model in its three forms, and what it has.
struct VerifyInput {
  const engine::Engine& engine;
  const model::Config& config;
  const model::Weights& weights;
  const model::ModelParts& parts;
};

/// Runs a batch through the engine and through the reference in double and in single precision. Masked-language logits
/// are compared for at most 16 tokens of a text. Takes about a second for ten tokens of bert-base.
/// @param batch  every text with at least one token
/// @throws TextError if the batch does not fit the model
[[nodiscard]] VerifyReport verify(const VerifyInput& input, const model::Batch& batch);

/// The same for a loaded model and given texts, less those without tokens, or for texts of its own where there are
/// none: words, a pair, unknown words and Chinese, an empty text, a text at the model's last positions, a paragraph.
[[nodiscard]] VerifyReport verify(const LoadedModel& model, std::span<const text::InputRecord> records,
                                  const LengthOptions& length = {});

}  // namespace summand::api
