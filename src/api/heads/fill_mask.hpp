#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "api/model/loaded_model.hpp"
#include "summand/heads.hpp"

namespace summand::api {

/// The words allowed for a mask, as ids of the vocabulary.
struct FillTargets {
  std::vector<int32_t> ids;          ///< without duplicates, in the given order
  std::vector<std::string> notices;  ///< one line for each word that is not a token
};

/// A word that is not a token is replaced by its first piece, or dropped if it has none.
/// @throws UsageError if no id is left
/// Source: transformers, pipelines/fill_mask.py, get_target_ids
[[nodiscard]] FillTargets find_targets(const text::Tokenizer& tokenizer, std::span<const std::string> words);

using summand::FilledMask;
using summand::Filling;
using summand::FillMaskOptions;

/// The best fillings of one mask, best first.
/// @param token  index of the mask in the encoding
/// @param logits  [vocabulary]
[[nodiscard]] std::vector<Filling> best_fillings(const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                                                 size_t token, std::span<const float> logits,
                                                 const FillMaskOptions& options);

/// Indices of the masks among the tokens of a batch, ascending.
/// @throws ConfigError if the tokenizer has no mask token; TextError naming a text without a mask
[[nodiscard]] std::vector<size_t> find_masks(const LoadedModel& model, const RecordBatch& batch);

/// The masks of every text, filled as by transformers' fill-mask pipeline. Ignores options.length: the batch has been
/// read already. Computes repeated texts once and counts them in the batch.
/// @throws ConfigError if the model has no masked-language head, or as find_masks
[[nodiscard]] std::vector<std::vector<FilledMask>> fill_masks(const LoadedModel& model, RecordBatch& batch,
                                                              const FillMaskOptions& options);

}  // namespace summand::api
