#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/enum_names.hpp"
#include "model/sentence_modules.hpp"

namespace summand::train {

/// What sentence vectors learn from.
enum class SentenceLoss {
  ranking,       ///< pairs of texts that belong together: multiple negatives ranking
  cosine,        ///< pairs with a number, which their cosine is to be
  distillation,  ///< texts with a teacher's vectors
};
[[nodiscard]] std::span<const model::EnumName<SentenceLoss>> enum_names(SentenceLoss);

/// Options of --task embed alone.
struct EmbedOptions {
  std::optional<SentenceLoss> loss = {};                  ///< none: by the files
  std::optional<model::Pooling> pooling = {};             ///< in place of the checkpoint's
  double scale = 20;                                      ///< of cosines, for ranking
  std::optional<model::TorchActivation> activation = {};  ///< of a new dense module; none: identity

  bool operator==(const EmbedOptions&) const = default;
};

/// Scores of a loss, the one first that decides where none is named.
[[nodiscard]] std::span<const std::string_view> metrics_of(SentenceLoss loss);

/// Poolings that sentence-transformers' files can name.
[[nodiscard]] std::span<const model::EnumName<model::Pooling>> file_poolings();

/// Activations of a new dense module.
[[nodiscard]] std::span<const model::EnumName<model::TorchActivation>> dense_activations();

}  // namespace summand::train
