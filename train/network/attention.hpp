#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "model/attention/attend.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"
#include "train/network/dropout.hpp"
#include "train/network/score_tables.hpp"
#include "train/network/tensors.hpp"
#include "train/network/text_slots.hpp"

namespace summand::train {

/// Attention within each text of a batch, for all layers of one pass. What model::attend() defines is computed in one
/// of two ways: by packed_attention(), if encodings only rotate rows and add tables to scores; else by
/// model::attend() itself, on groups of texts at once.
class Attention {
 public:
  /// All arguments must outlive this object. @param dropout  null: none
  Attention(const model::Config& config, const Parameters& parameters, const model::Batch& batch,
            const Dropout* dropout);

  /// @param rows  queries, keys and values, [tokens, hidden]
  /// @return [tokens, hidden]
  [[nodiscard]] at::Tensor context(size_t layer, const model::QueryKeyValue<at::Tensor>& rows) const;

 private:
  /// Of each group of texts: [texts, heads, slots, head size].
  using GroupRows = std::vector<model::QueryKeyValue<at::Tensor>>;

  [[nodiscard]] PackedTexts packed_texts(size_t layer) const;
  [[nodiscard]] std::vector<ScoreTable> score_tables(size_t layer) const;
  [[nodiscard]] GroupRows to_groups(const model::QueryKeyValue<at::Tensor>& rows) const;
  [[nodiscard]] at::Tensor from_groups(const std::vector<at::Tensor>& groups) const;
  [[nodiscard]] at::Tensor attend_in_groups(size_t layer, const model::QueryKeyValue<at::Tensor>& rows) const;
  [[nodiscard]] at::Tensor attended_groups(size_t layer, const model::QueryKeyValue<at::Tensor>& rows) const;
  /// Rotated queries and keys, changed values.
  [[nodiscard]] model::QueryKeyValue<at::Tensor> changed(size_t layer,
                                                         const model::QueryKeyValue<at::Tensor>& rows) const;

  const model::Config& config_;
  const Parameters& parameters_;
  const model::Batch& batch_;
  const Dropout* dropout_;
  std::vector<model::AttentionEncoding> encodings_;
  std::vector<DistinctTokens> distinct_;           ///< [encodings]; only if there are score tables
  std::vector<std::optional<ScoreTable>> shared_;  ///< [encodings], tables that all layers share
  std::optional<TextSlots> slots_;                 ///< if texts are grouped at all
  bool in_groups_ = false;                         ///< whether attend() itself runs on groups
};

}  // namespace summand::train
