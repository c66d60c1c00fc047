#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "base/random_stream.hpp"
#include "engine/engine.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// Why there is no loss: a table alone, no masked-language head, or no mask token.
[[nodiscard]] std::optional<LocalizedText> lacks_masked_language(const Subject& subject);

/// Texts with some of their tokens masked.
struct MaskedTexts {
  model::Batch batch;
  std::vector<size_t> masked;   ///< tokens of the batch, ascending
  std::vector<int32_t> labels;  ///< [masked], the ids that stood there
};

/// Masks 15 % of each text's ordinary tokens, at least one where it has any; all of them by [MASK].
/// @pre lacks_masked_language() has no complaint
[[nodiscard]] MaskedTexts mask_texts(const Subject& subject, const Texts& texts, RandomStream& stream);

/// How well masked tokens are predicted.
struct MaskedScores {
  std::vector<double> losses;  ///< [masked], cross-entropy in nats
  std::vector<bool> right;     ///< [masked], whether the largest logit is the label's

  [[nodiscard]] double mean_loss() const;
  [[nodiscard]] double accuracy() const;
};

/// @pre the engine's model has a masked-language head
[[nodiscard]] MaskedScores masked_scores(const engine::Engine& engine, const MaskedTexts& texts);

}  // namespace summand::lab
