#pragma once

#include <optional>

#include "lab/probing/input_parts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/activation.hpp"
#include "model/heads.hpp"
#include "model/tensor.hpp"

namespace summand::lab {

/// x · weightᵀ + bias.
struct Dense {
  Table weight;  ///< [out, in]
  Vector bias;   ///< [out]

  /// @param name  as in "pooler.dense"
  Dense(const model::Weights& weights, const std::string& name);
  [[nodiscard]] Table operator()(const Table& rows) const {
    return (rows * weight.transpose()).rowwise() + bias.transpose();
  }
};

/// The model's activation of every element.
[[nodiscard]] Table activated(model::Activation activation, Table values);
/// Every row less the mean of its coordinates: what a normalisation scales.
[[nodiscard]] Table less_row_means(const Table& rows);
/// Layer normalisation of every row.
[[nodiscard]] Table normalised(const FirstNorm& norm, const Table& rows);
/// @param name  as in "embeddings.LayerNorm"
[[nodiscard]] FirstNorm norm_of(const Subject& subject, const std::string& name);

/// The masked-language head, step by step: dense layer, activation, normalisation, decoder.
struct PredictionHead {
  Dense dense;
  FirstNorm norm;
  model::Activation activation;
  model::Decoder decoder = model::Decoder::tied;
  Table rows;   ///< [vocabulary, hidden], of the decoder
  Vector bias;  ///< [vocabulary]

  /// @param states  last hidden states, [tokens, hidden]
  /// @return what the decoder multiplies its rows with, [tokens, hidden]
  [[nodiscard]] Table transformed(const Table& states) const;
};

/// Nothing where there is no such head. @pre there is a model
[[nodiscard]] std::optional<PredictionHead> prediction_head(const Subject& subject);

}  // namespace summand::lab
