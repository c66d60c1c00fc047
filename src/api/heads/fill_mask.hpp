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

/// Words that alone may fill a mask, as ids of the vocabulary.
struct FillTargets {
  std::vector<int32_t> ids;          ///< each once, in the order given
  std::vector<std::string> notices;  ///< one line for each word that is no token as it is written
};

/// A word that is no token stands for its first piece; one without any piece is left out.
/// @throws UsageError if no id is left
/// Source: transformers, pipelines/fill_mask.py, get_target_ids
[[nodiscard]] FillTargets find_targets(const text::Tokenizer& tokenizer, std::span<const std::string> words);

using summand::FilledMask;
using summand::Filling;
using summand::FillMaskOptions;

/// The best fillings of one mask, best first.
/// @param token  the mask's place in the encoding
/// @param logits  [vocabulary]
[[nodiscard]] std::vector<Filling> best_fillings(const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                                                 size_t token, std::span<const float> logits,
                                                 const FillMaskOptions& options);

/// Places of the masks among the tokens of a batch, ascending.
/// @throws ConfigError if the tokenizer has no mask token; TextError naming a text without a mask
[[nodiscard]] std::vector<size_t> find_masks(const LoadedModel& model, const RecordBatch& batch);

/// The masks of every text, as transformers' fill-mask pipeline fills them. The batch has been read: options.length
/// counts for nothing here. Texts of the batch with the same tokens are computed once, and counted in it.
/// @throws ConfigError if the model has no masked-language head, or as find_masks
[[nodiscard]] std::vector<std::vector<FilledMask>> fill_masks(const LoadedModel& model, RecordBatch& batch,
                                                              const FillMaskOptions& options);

}  // namespace summand::api
