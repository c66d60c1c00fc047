#pragma once

#include <string>

#include "lab/statistics/table.hpp"
#include "model/weights.hpp"

namespace summand::lab {

/// What a layer normalisation can give: b + g∘x̂, x̂ of mean 0 over its coordinates. Along 1/g all of it is alike, so
/// that what a map does with that direction says nothing: a checkpoint may have it in the map's bias instead.
/// Source: Ba et al. 2016, equation 4
class NormOutputs {
 public:
  /// @param name  as in "embeddings.LayerNorm"
  NormOutputs(const model::Weights& weights, const std::string& name);

  /// Of every row the nearest in the plane that holds all outputs. @param rows  [count, hidden]
  [[nodiscard]] Table nearest(const Table& rows) const;
  /// Puts the smallest weight that makes the same of all outputs, and its bias.
  /// @param weight  [out, hidden] @param bias  [out]
  void reduce(Table& weight, Vector& bias) const;
  /// b, which all outputs have in common. A checkpoint may have any vector there that the biases of what reads it, and
  /// of what is added to it, take back.
  [[nodiscard]] const Vector& bias() const { return bias_; }
  /// Root of the mean square of g: about what a coordinate varies by. A checkpoint may have any other scale, which what
  /// reads the outputs, and the normalisation behind what is added to them, take back.
  [[nodiscard]] double scale() const { return scale_; }

 private:
  Table alike_;  ///< [hidden, directions], orthonormal: 1/g; or, where coordinates of g are 0, these coordinates
  Vector bias_;
  double scale_;
};

/// Of the normalisation that a layer's queries, keys and values are made of.
[[nodiscard]] NormOutputs attention_inputs(const model::Weights& weights, size_t layer);

}  // namespace summand::lab
